package io.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * Tests for fenced transactions on PostgreSQL.
 */
class PostgresTransactionFenceTests extends TransactionFenceContract {

	private static PostgresServer server;

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
	HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(server.url());
		pool.setUsername("postgres");
		return pool;
	}

	@Override
	int insertsOfTwoRows() {
		return 1;
	}

}
