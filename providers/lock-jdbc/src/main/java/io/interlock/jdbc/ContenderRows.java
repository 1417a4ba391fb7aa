package io.interlock.jdbc;

import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The rows that a contender may have: that of its lock, if it is exclusive, and one of
 * its own.
 */
final class ContenderRows {

	private final JdbcStatements sql;

	ContenderRows(JdbcStatements sql) {
		this.sql = sql;
	}

	/** Wait for the rows of a contender, and lock them. */
	void lock(JdbcClient client, LeaseContender contender) {
		if (contender.mode() == LockMode.EXCLUSIVE) {
			client.sql(this.sql.lockRow()).param(this.sql.idOf(contender.lock())).query(String.class).list();
		}
		client.sql(this.sql.lockContender()).param(contender.id()).query(String.class).list();
	}

	/** Return whether a contender has a row, without waiting for one. */
	boolean exist(JdbcClient client, LeaseContender contender) {
		return !client.sql(this.sql.rowsOf())
			.params(this.sql.idOf(contender.lock()), contender.id(), contender.id())
			.query(String.class)
			.list()
			.isEmpty();
	}

}
