package io.interlock.jdbc;

import io.interlock.testsupport.mariadb.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * A hold whose row is locked most of the time, in MariaDB.
 */
class MariaDbBusyRowsTests extends BusyRowsContract {

	private static MariaDbServer server;

	MariaDbBusyRowsTests() {
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
