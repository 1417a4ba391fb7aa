package io.interlock.jdbc.autoconfigure;

import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Callers inside open transactions, in PostgreSQL.
 */
class PostgresOpenTransactionsTests extends OpenTransactionsContract {

	private static PostgresServer server;

	PostgresOpenTransactionsTests() {
		super(server.url(), "postgres");
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
