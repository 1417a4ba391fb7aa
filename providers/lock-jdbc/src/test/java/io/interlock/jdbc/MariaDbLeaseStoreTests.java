package io.interlock.jdbc;

import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for {@link JdbcLeaseStore} in MariaDB.
 */
@Deep
class MariaDbLeaseStoreTests extends JdbcLeaseStoreContract {

	private static MariaDbServer server;

	MariaDbLeaseStoreTests() {
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
