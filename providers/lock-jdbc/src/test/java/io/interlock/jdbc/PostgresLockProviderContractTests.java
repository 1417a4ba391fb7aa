package io.interlock.jdbc;

import java.time.Duration;

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
		super(LockDatabase.POSTGRESQL, server.url(), 1);
	}

	@BeforeAll
	static void startServer() {
		server = PostgresServer.start();
		try (JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), Duration.ofMinutes(1),
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
		server.stop();
	}

	@Override
	protected void startStore() {
		server.restart();
		instances().expectOutage(false);
	}

}
