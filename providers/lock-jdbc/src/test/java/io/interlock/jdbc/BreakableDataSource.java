package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A data source that gives no connections while it is broken.
 */
final class BreakableDataSource extends DelegatingDataSource {

	private volatile boolean broken;

	BreakableDataSource(DataSource target) {
		super(target);
	}

	void setBroken(boolean broken) {
		this.broken = broken;
	}

	@Override
	public Connection getConnection() throws SQLException {
		if (this.broken) {
			throw new SQLTransientConnectionException("The test has broken the connection", "08001");
		}
		return super.getConnection();
	}

}
