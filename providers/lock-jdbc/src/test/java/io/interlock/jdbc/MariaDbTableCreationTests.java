package io.interlock.jdbc;

import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for a start beside an open transaction in MariaDB.
 */
@Deep
class MariaDbTableCreationTests extends TableCreationContract {

	private static MariaDbServer server;

	MariaDbTableCreationTests() {
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

	@Override
	String dropIndex(String name) {
		return "DROP INDEX %s ON interlock_lock".formatted(name);
	}

}
