package io.interlock.jdbc;

import java.time.Duration;

import io.interlock.admin.LeaseNodes;
import io.interlock.admin.OperatorsContract;
import org.junit.jupiter.api.AfterEach;

/**
 * What operators see and do in one of the databases.
 */
abstract class JdbcOperatorsContract extends OperatorsContract {

	private static final Duration LEASE = Duration.ofSeconds(9);

	private final JdbcInstances instances;

	private final LeaseNodes nodes = new LeaseNodes();

	JdbcOperatorsContract(LockDatabase database, String url) {
		this.instances = new JdbcInstances(database, url, LEASE, 4);
		this.instances.createTables();
	}

	@Override
	protected Node start() {
		return this.nodes.start(LEASE, this.instances::start);
	}

	/** A row has them as escapes of six characters. */
	@Override
	protected boolean keepsLettersAsTheyAre() {
		return false;
	}

	@AfterEach
	void closePools() {
		this.instances.close();
	}

}
