package io.interlock.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
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

	/** So many rows are looked for at once, to be deleted. */
	private static final int PIECE = 1000;

	/** What belongs to no transaction waits no longer than this for a row. */
	private static final int SECONDS_ALONE = 5;

	private static final String WITHOUT_KEY = "Transactions under locks cannot be fenced: the table interlock_fence "
			+ "has no primary key on lock_id alone, so a lock may have two rows. Remove any other primary key and "
			+ "all duplicates, and run: ALTER TABLE interlock_fence ADD PRIMARY KEY (lock_id)";

	private static final String WITHOUT_ROLLBACK = "Transactions under locks cannot be fenced: the table interlock_fence "
			+ "keeps what is rolled back, so no transaction locks its rows. On MariaDB and MySQL, run: "
			+ "ALTER TABLE interlock_fence ENGINE=InnoDB";

	private final DataSource dataSource;

	private final JdbcTemplate jdbc;

	/** With a connection of its own, also where a transaction has one. */
	private final JdbcTemplate aside;

	private final JdbcTemplate piece;

	FenceTable(DataSource dataSource) {
		this.dataSource = dataSource;
		this.jdbc = new JdbcTemplate(dataSource);
		this.aside = new JdbcTemplate(new DelegatingDataSource(dataSource));
		this.piece = new JdbcTemplate(dataSource);
		this.piece.setMaxRows(PIECE);
		this.piece.setQueryTimeout(SECONDS_ALONE);
	}

	/**
	 * Set the rows of locks to tokens in the transaction of this thread, in their order.
	 * @param tokens by the rows of their locks
	 * @param usedAt what the rows are marked with
	 * @param patience how long to wait for an open transaction that has passed a row, at
	 * most for what is left of the own one
	 * @return a row that has a greater token, or empty if there is none
	 * @throws DataAccessException if the database refuses, or the time of waiting is over
	 */
	Optional<FenceRefusal> pass(SortedMap<String, Long> tokens, long usedAt, Duration patience) {
		return inTransaction(usedAt, patience, (statements, rows) -> statements.pass(rows, tokens));
	}

	/**
	 * Look at rows that the transaction of this thread has passed.
	 * @param marks what it has set them to
	 * @param patience how long to wait, if the database makes the transaction wait
	 * @return a row that is not, or no longer, as it was set
	 */
	Optional<String> findOther(Map<String, FenceMark> marks, Duration patience) {
		return inTransaction(0, patience, (statements, rows) -> rows.findOther(marks));
	}

	/**
	 * Return whether a suspended transaction keeps rows locked for another connection: it
	 * leads to the same table, and no savepoint of a statement has undone them.
	 * @param suspended the connection of the transaction
	 * @param marks what it has set rows to that may have been undone
	 * @param other the other connection
	 */
	static boolean keepsLocked(Connection suspended, Map<String, FenceMark> marks, Connection other) {
		try {
			return FenceDatabase.of(suspended).equals(FenceDatabase.of(other))
					&& (marks.isEmpty() || new FenceRows(suspended, 0, 0).findOther(marks) == null);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private <T> Optional<T> inTransaction(long usedAt, Duration patience, Work<T> work) {
		int seconds = seconds(patience, requireHolder());
		return this.jdbc.execute((ConnectionCallback<Optional<T>>) (connection) -> {
			FenceStatements statements = FenceStatements.of(connection);
			FenceRows rows = new FenceRows(connection, usedAt, statements.isBounded() ? seconds : 0);
			try {
				return Optional.ofNullable(work.run(statements, rows));
			}
			catch (SQLException ex) {
				if (statements.isLockTimeout(ex)) {
					throw new QueryTimeoutException("The database does not wait longer for a row of interlock_fence",
							ex);
				}
				if (statements.isOlderSnapshot(ex)) {
					throw new ConcurrencyFailureException(
							"The transaction has read before it was fenced, and a later one has committed", ex);
				}
				throw ex;
			}
		});
	}

	private ConnectionHolder requireHolder() {
		if (TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder) {
			return holder;
		}
		throw new IllegalStateException("The transaction is not fenced, because its manager does not expose the "
				+ "connection that it uses. A JpaTransactionManager needs the JpaDialect of its provider "
				+ "for that");
	}

	/** Return whether the transaction of this thread has a read-only connection. */
	boolean isReadOnly() {
		requireHolder();
		return Boolean.TRUE.equals(this.jdbc.execute((ConnectionCallback<Boolean>) Connection::isReadOnly));
	}

	void create() {
		try {
			alone(DEFINITION.replace("TABLE ", "TABLE IF NOT EXISTS "), (statement) -> {
			});
		}
		catch (DuplicateKeyException ex) {
			// Another instance has created it at the same time, on PostgreSQL.
		}
	}

	/**
	 * Make sure that the table is there, that its rows may be read, added and changed,
	 * that it has one for each lock, and that they are locked by transactions.
	 * @return whether that is known: not on a read-only connection
	 * @throws IllegalStateException if not
	 */
	boolean check() {
		try {
			if (Boolean.TRUE.equals(this.aside.execute((ConnectionCallback<Boolean>) Connection::isReadOnly))) {
				return false;
			}
			tryOut().ifPresent((fault) -> {
				throw new IllegalStateException(fault);
			});
			return true;
		}
		catch (TransientDataAccessException | NonTransientDataAccessResourceException
				| RecoverableDataAccessException ex) {
			throw ex;
		}
		catch (DataAccessException ex) {
			throw new IllegalStateException(missing(ex), ex);
		}
	}

	/** Pass a row that belongs to no lock, and leave nothing behind. */
	private Optional<String> tryOut() {
		return this.aside.execute((ConnectionCallback<Optional<String>>) (connection) -> {
			boolean commits = connection.getAutoCommit();
			connection.setAutoCommit(false);
			try {
				FenceStatements statements = FenceStatements.of(connection);
				FenceRows rows = new FenceRows(connection, FenceMark.nextTime(),
						statements.isBounded() ? SECONDS_ALONE : 0);
				return Optional.ofNullable(tryOut(statements, rows, connection));
			}
			finally {
				connection.rollback();
				connection.setAutoCommit(commits);
			}
		});
	}

	private static @Nullable String tryOut(FenceStatements statements, FenceRows rows, Connection connection)
			throws SQLException {
		Long before = rows.findUsedAt(FenceStatements.NO_LOCK);
		boolean keepsOneRow = statements.keepsOneRow(rows);
		connection.rollback();
		if (!Objects.equals(before, rows.findUsedAt(FenceStatements.NO_LOCK))) {
			rows.deleteIfAllowed(FenceStatements.NO_LOCK);
			return WITHOUT_ROLLBACK;
		}
		return keepsOneRow ? null : WITHOUT_KEY;
	}

	/**
	 * Delete some of the rows that were not used since a time, each in a transaction of
	 * its own: while it waits for a row that is in use, it keeps no other one locked.
	 * @param before the time, in milliseconds
	 * @return whether there may be more
	 * @throws DataAccessException if the database refuses
	 */
	boolean deletePiece(long before) {
		List<String> rows = this.piece.queryForList("SELECT lock_id FROM interlock_fence WHERE used_at < ?",
				String.class, before);
		long deleted = rows.stream().filter((row) -> delete(row, before)).count();
		return rows.size() == PIECE && deleted > 0;
	}

	private boolean delete(String row, long before) {
		try {
			return alone("DELETE FROM interlock_fence WHERE lock_id = ? AND used_at < ?", (statement) -> {
				statement.setQueryTimeout(SECONDS_ALONE);
				statement.setString(1, row);
				statement.setLong(2, before);
			}) == 1;
		}
		catch (QueryTimeoutException | ConcurrencyFailureException ex) {
			return false;
		}
	}

	/** Commit also where the pool has switched off that each statement does. */
	private int alone(String sql, PreparedStatementSetter setter) {
		return Objects.requireNonNull(this.aside.execute((ConnectionCallback<Integer>) (connection) -> {
			try (PreparedStatement statement = connection.prepareStatement(sql)) {
				setter.setValues(statement);
				int count = statement.executeUpdate();
				if (!connection.getAutoCommit()) {
					connection.commit();
				}
				return count;
			}
		}));
	}

	/** Return what to do about a table that the database does not let us use. */
	static String missing(DataAccessException ex) {
		String reason = String.valueOf(ex.getMostSpecificCause().getMessage()).lines().findFirst().orElse("");
		return ("Transactions under locks cannot be fenced, because the table interlock_fence cannot be used: %s. "
				+ "Is it missing? Set interlock.transactions.initialize-schema to 'always', or run: %s. "
				+ "The user needs SELECT, INSERT and UPDATE on it")
			.formatted(reason, DEFINITION);
	}

	/** Drivers take full seconds, and more than a day is no use. */
	private static int seconds(Duration patience, ConnectionHolder holder) {
		int seconds = (int) Math.max(1, Math.min(LONGEST_SECONDS, patience.getSeconds()));
		return holder.hasTimeout() ? Math.min(seconds, holder.getTimeToLiveInSeconds()) : seconds;
	}

	@FunctionalInterface
	private interface Work<T> {

		@Nullable T run(FenceStatements statements, FenceRows rows) throws SQLException;

	}

}
