package io.interlock.jdbc;

import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * What operators see and do in MariaDB.
 */
@Deep
class MariaDbOperatorsViewTests extends JdbcOperatorsContract {

	private static MariaDbServer server;

	MariaDbOperatorsViewTests() {
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
