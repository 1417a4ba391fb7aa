package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;

/**
 * A pool that starts once the database answers. HikariCP logs each start, and without a
 * database each request would be another one.
 */
final class ReachablePool extends HikariDataSource {

	private final DataSource unpooled;

	/** Create a pool with a source of connections to the same database. */
	ReachablePool(DataSource unpooled) {
		this.unpooled = unpooled;
	}

	@Override
	public Connection getConnection() throws SQLException {
		if (!isRunning() && !isClosed()) {
			this.unpooled.getConnection().close();
		}
		return super.getConnection();
	}

}
