package io.interlock.transaction;

import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;

import javax.sql.DataSource;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The table {@code interlock_fence} of a database, which has the greatest token of each
 * lock under which a transaction has run. A transaction sets the rows of its locks to its
 * own tokens, and keeps them locked until its end.
 * <p>
 * Invariants, which need nothing but the row locks of the database:
 * <ul>
 * <li>At most one open transaction has {@linkplain #pass passed} the row of a lock.
 * <li>A transaction that passes a row has a token that is not smaller than those of all
 * transactions that have passed it before, and all of these have ended.
 * </ul>
 */
final class FenceTable {

	static final String DEFINITION = "CREATE TABLE interlock_fence (lock_id VARCHAR(64) NOT NULL PRIMARY KEY, "
			+ "token BIGINT NOT NULL, used_at BIGINT NOT NULL)";

	private static final long LONGEST_SECONDS = Duration.ofDays(1).toSeconds();

	private final DataSource dataSource;

	private final JdbcTemplate jdbc;

	FenceTable(DataSource dataSource) {
		this.dataSource = dataSource;
		this.jdbc = new JdbcTemplate(dataSource);
	}

	/**
	 * Set the rows of locks to tokens in the transaction of this thread, in their order.
	 * @param tokens by the rows of their locks
	 * @param patience how long to wait for an open transaction that has passed a row, at
	 * most for what is left of the own one
	 * @return a row that has a greater token, or empty if there is none
	 * @throws DataAccessException if the database refuses, or the time of waiting is over
	 */
	Optional<FenceRefusal> pass(SortedMap<String, Long> tokens, Duration patience) {
		if (!(TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder)) {
			throw new IllegalStateException("The transaction does not run on a connection of the DataSource of its "
					+ "manager, so it cannot be fenced. With JPA, the JpaDialect must know the connection, as "
					+ "HibernateJpaDialect does");
		}
		int seconds = seconds(patience, holder);
		return this.jdbc.execute((ConnectionCallback<Optional<FenceRefusal>>) (connection) -> {
			FenceStatements statements = FenceStatements.of(connection);
			FenceRows rows = new FenceRows(connection, statements.isBounded() ? seconds : 0);
			return Optional.ofNullable(statements.pass(rows, tokens));
		});
	}

	void create() {
		try {
			this.jdbc.execute(DEFINITION.replace("TABLE ", "TABLE IF NOT EXISTS "));
		}
		catch (DuplicateKeyException ex) {
			// Another instance has created it at the same time, on PostgreSQL.
		}
	}

	/**
	 * Make sure that the table is there, and that its rows may be read, added and
	 * changed.
	 * @throws IllegalStateException if not
	 */
	void check() {
		try {
			this.jdbc.update("UPDATE interlock_fence SET token = 0, used_at = 0 WHERE lock_id = ''");
			this.jdbc.update("INSERT INTO interlock_fence (lock_id, token, used_at) "
					+ "SELECT lock_id, token, used_at FROM interlock_fence WHERE lock_id = ''");
		}
		catch (TransientDataAccessException | NonTransientDataAccessResourceException
				| RecoverableDataAccessException ex) {
			throw ex;
		}
		catch (DataAccessException ex) {
			throw new IllegalStateException(missing(ex), ex);
		}
	}

	/** Return what to do about a table that is not there, or has other columns. */
	static String missing(DataAccessException ex) {
		String reason = String.valueOf(ex.getMostSpecificCause().getMessage()).lines().findFirst().orElse("");
		return ("Transactions under locks are to be fenced, and their database has no table interlock_fence for that, or "
				+ "its user may not use it (%s). Set interlock.transactions.initialize-schema to 'always', or run: %s. "
				+ "The user needs SELECT, INSERT and UPDATE on it")
			.formatted(reason, DEFINITION);
	}

	/** Drivers take full seconds, and more than a day is no use. */
	private static int seconds(Duration patience, ConnectionHolder holder) {
		int seconds = (int) Math.max(1, Math.min(LONGEST_SECONDS, patience.getSeconds()));
		return holder.hasTimeout() ? Math.min(seconds, holder.getTimeToLiveInSeconds()) : seconds;
	}

}
