package io.interlock.jdbc;

import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for new locks in PostgreSQL.
 */
class PostgresNewRowsTests extends NewRowsContract {

	private static PostgresServer server;

	PostgresNewRowsTests() {
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
