package io.interlock.jdbc;

import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract for locks in PostgreSQL, on a server that is stopped and started again.
 * The pools of the instances have one connection.
 */
class PostgresLockProviderContractTests extends JdbcLockProviderContract {

	private static PostgresServer server;

	PostgresLockProviderContractTests() {
		super(instancesOnServer());
	}

	private static JdbcInstances instancesOnServer() {
		return new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 1);
	}

	@BeforeAll
	static void startServer() {
		server = PostgresServer.start();
		try (JdbcInstances instances = instancesOnServer()) {
			instances.createTables();
		}
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@Override
	protected void stopStore() {
		server.stop();
	}

	@Override
	protected void startStore() {
		server.restart();
	}

}
