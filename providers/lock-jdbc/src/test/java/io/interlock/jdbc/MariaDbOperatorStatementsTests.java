package io.interlock.jdbc;

import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for the SQL for operators in MariaDB.
 */
@Deep
class MariaDbOperatorStatementsTests extends OperatorStatementsContract {

	private static MariaDbServer server;

	MariaDbOperatorStatementsTests() {
		super(LockDatabase.MARIADB, server.url());
	}

	@BeforeAll
	static void startServer() {
		server = MariaDbServer.start();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

}
