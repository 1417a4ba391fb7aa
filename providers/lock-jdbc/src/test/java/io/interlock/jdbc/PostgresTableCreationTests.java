package io.interlock.jdbc;

import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for a start beside an open transaction in PostgreSQL.
 */
class PostgresTableCreationTests extends TableCreationContract {

	private static PostgresServer server;

	PostgresTableCreationTests() {
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
