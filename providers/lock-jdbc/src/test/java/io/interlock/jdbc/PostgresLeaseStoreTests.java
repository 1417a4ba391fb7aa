package io.interlock.jdbc;

import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for {@link JdbcLeaseStore} in PostgreSQL.
 */
class PostgresLeaseStoreTests extends JdbcLeaseStoreContract {

	private static PostgresServer server;

	PostgresLeaseStoreTests() {
		super(LockDatabase.POSTGRESQL, server.url());
	}

	@BeforeAll
	static void startServer() {
		server = PostgresServer.start();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

}
