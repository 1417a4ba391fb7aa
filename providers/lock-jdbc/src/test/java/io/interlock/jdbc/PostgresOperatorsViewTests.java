package io.interlock.jdbc;

import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * What operators see and do in PostgreSQL.
 */
class PostgresOperatorsViewTests extends JdbcOperatorsContract {

	private static PostgresServer server;

	PostgresOperatorsViewTests() {
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
