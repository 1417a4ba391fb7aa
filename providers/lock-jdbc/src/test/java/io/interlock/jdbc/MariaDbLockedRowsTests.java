package io.interlock.jdbc;

import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for locked rows in MariaDB.
 */
@Deep
class MariaDbLockedRowsTests extends LockedRowsContract {

	private static MariaDbServer server;

	MariaDbLockedRowsTests() {
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
