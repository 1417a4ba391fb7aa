package io.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.testsupport.mariadb.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for fenced transactions on MariaDB, whose default is REPEATABLE READ.
 */
class MariaDbTransactionFenceTests extends TransactionFenceContract {

	private static MariaDbServer server;

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
	HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(server.url());
		return pool;
	}

	@Override
	int insertsOfTwoRows() {
		return 1;
	}

}
