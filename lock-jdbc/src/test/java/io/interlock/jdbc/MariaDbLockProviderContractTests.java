package io.interlock.jdbc;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract for locks in MariaDB, on a server that is killed and started again. The
 * pools of the instances have one connection.
 */
class MariaDbLockProviderContractTests extends JdbcLockProviderContract {

	private static MariaDbServer server;

	MariaDbLockProviderContractTests() {
		super(LockDatabase.MARIADB, server.url(), 1);
	}

	@BeforeAll
	static void startServer() {
		server = MariaDbServer.start();
		try (JdbcInstances instances = new JdbcInstances(LockDatabase.MARIADB, server.url(), Duration.ofMinutes(1),
				1)) {
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
		instances().expectOutage(true);
		server.kill();
	}

	@Override
	protected void startStore() {
		server.restart();
		instances().expectOutage(false);
	}

}
