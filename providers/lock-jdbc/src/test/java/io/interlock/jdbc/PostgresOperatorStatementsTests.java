package io.interlock.jdbc;

import java.util.List;

import io.interlock.testsupport.page.PageBlocks;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for the SQL for operators in PostgreSQL.
 */
class PostgresOperatorStatementsTests extends OperatorStatementsContract {

	private static PostgresServer server;

	PostgresOperatorStatementsTests() {
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

	@Override
	List<String> rights() {
		return PageBlocks.blocks("security", "Rights in a database", "sql").subList(0, 2);
	}

}
