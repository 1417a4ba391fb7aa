package io.interlock.jdbc;

import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;

/**
 * Tests for fenced transactions on H2.
 */
class H2TransactionFenceTests extends TransactionFenceContract {

	@Override
	HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
		return pool;
	}

	@Override
	int insertsOfTwoRows() {
		return 2;
	}

	@Override
	int statements() {
		return 1;
	}

}
