package io.interlock.jdbc;

import io.interlock.testsupport.mariadb.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for new locks in MariaDB.
 */
class MariaDbNewRowsTests extends NewRowsContract {

	private static MariaDbServer server;

	MariaDbNewRowsTests() {
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
