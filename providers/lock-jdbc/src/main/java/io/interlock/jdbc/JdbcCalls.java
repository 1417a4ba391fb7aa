package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * Runs each call on a connection of its own, which goes back to the pool with the answer.
 * The threads that call have no transaction of the application, so none is joined. A call
 * is bounded by the query timeout and, where the server is silent, by the network
 * timeout. Safe for use by many threads.
 */
final class JdbcCalls {

	private static final int REPEATS = 3;

	/**
	 * The SQL states of data exceptions, of violated constraints, and of what a trigger
	 * refuses.
	 */
	private static final Pattern DATA_ERROR = Pattern.compile("22|23|45000|P0001");

	/** Numbers that are too great. */
	private static final String OVERFLOW = "22003";

	/** Spring does not translate this state. */
	private static final String H2_NOT_ALLOWED = "90096";

	/**
	 * Lock timeouts: the state of PostgreSQL, and the codes of MySQL, MariaDB and H2,
	 * which share theirs with other failures.
	 */
	private static final String LOCK_TIMEOUT = "55P03";

	private static final Set<Integer> LOCK_TIMEOUTS = Set.of(1205, 50200);

	private final DataSource dataSource;

	private final String tablePrefix;

	private final Duration timeout;

	private final int timeoutSeconds;

	private final int timeoutMillis;

	/** Create calls that name the tables in messages by their prefix. */
	JdbcCalls(DataSource dataSource, String tablePrefix, Duration timeout) {
		this(dataSource, tablePrefix, timeout, timeout);
	}

	private JdbcCalls(DataSource dataSource, String tablePrefix, Duration timeout, Duration statementTimeout) {
		this.dataSource = dataSource;
		this.tablePrefix = tablePrefix;
		this.timeout = timeout;
		this.timeoutSeconds = (int) Math.max(1, statementTimeout.toSeconds());
		this.timeoutMillis = (int) Math.max(1, timeout.toSeconds()) * 1000 + 500;
	}

	/** Return calls whose statements end sooner, while a silent server has as long. */
	JdbcCalls within(Duration statementTimeout) {
		return new JdbcCalls(this.dataSource, this.tablePrefix, this.timeout, statementTimeout);
	}

	/**
	 * Return the name of the database, as its driver tells it.
	 * @throws LeaseStoreException if there is no connection
	 */
	String product() {
		try {
			return JdbcUtils.extractDatabaseMetaData(this.dataSource, DatabaseMetaData::getDatabaseProductName);
		}
		catch (MetaDataAccessException ex) {
			throw LeaseStoreException.passing("the database does not answer: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Run a call whose statements are transactions of their own.
	 * @throws LeaseStoreException if it fails
	 */
	<T extends @Nullable Object> T run(Function<JdbcClient, T> call) {
		return repeat(true, call);
	}

	/**
	 * Run a call in one transaction.
	 * @throws LeaseStoreException if it fails
	 */
	<T extends @Nullable Object> T runInTransaction(Function<JdbcClient, T> call) {
		return repeat(false, call);
	}

	/**
	 * Run a call again that was chosen as the victim of a deadlock, or could not be
	 * serialized: the database has undone it. A call that has taken its time is not.
	 */
	private <T extends @Nullable Object> T repeat(boolean autoCommit, Function<JdbcClient, T> call) {
		long start = System.nanoTime();
		for (int attempt = 1;; attempt++) {
			try {
				return runOnce(autoCommit, call);
			}
			catch (ConcurrencyFailureException ex) {
				if (attempt == REPEATS || System.nanoTime() - start >= TimeUnit.SECONDS.toNanos(this.timeoutSeconds)) {
					throw isLockTimeout(ex) ? locked(ex) : LeaseStoreException
						.passing("the database refuses the request because of concurrent ones", ex);
				}
			}
			catch (DataAccessException ex) {
				throw translate(ex);
			}
		}
	}

	private <T extends @Nullable Object> T runOnce(boolean autoCommit, Function<JdbcClient, T> call) {
		try (Connection connection = this.dataSource.getConnection()) {
			boolean before = connection.getAutoCommit();
			int queryTimeoutBefore = queryTimeout(connection);
			int timeoutBefore = limit(connection);
			if (before != autoCommit) {
				connection.setAutoCommit(autoCommit);
			}
			boolean done = false;
			try {
				T result = call.apply(client(connection));
				if (!autoCommit) {
					connection.commit();
				}
				done = true;
				return result;
			}
			finally {
				restore(connection, done || autoCommit, before, timeoutBefore);
				restoreQueryTimeout(connection, queryTimeoutBefore);
			}
		}
		catch (SQLException ex) {
			throw new CannotGetJdbcConnectionException("There is no connection to the database, or it failed", ex);
		}
	}

	private static int queryTimeout(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			return statement.getQueryTimeout();
		}
	}

	/**
	 * Undo what H2 does, which keeps the timeout of a statement for all later ones of its
	 * connection.
	 */
	private static void restoreQueryTimeout(Connection connection, int seconds) {
		try (Statement statement = connection.createStatement()) {
			if (statement.getQueryTimeout() != seconds) {
				statement.setQueryTimeout(seconds);
			}
		}
		catch (SQLException ex) {
			// The failure that broke the connection is thrown already.
		}
	}

	private JdbcClient client(Connection connection) {
		JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
		template.setQueryTimeout(this.timeoutSeconds);
		return JdbcClient.create(template);
	}

	/**
	 * Bound the time that a silent server may take.
	 * @return the bound before, or -1 if there is nothing to restore
	 */
	private int limit(Connection connection) throws SQLException {
		try {
			int before = connection.getNetworkTimeout();
			if (before > 0 && before <= this.timeoutMillis) {
				return -1;
			}
			connection.setNetworkTimeout(Runnable::run, this.timeoutMillis);
			return before;
		}
		catch (SQLFeatureNotSupportedException | AbstractMethodError ex) {
			// A database in this process is never silent.
			return -1;
		}
	}

	/**
	 * Leave the connection as it was. One that is broken is thrown away by the pool.
	 */
	private static void restore(Connection connection, boolean done, boolean autoCommit, int timeout) {
		try {
			if (!done) {
				connection.rollback();
			}
			if (connection.getAutoCommit() != autoCommit) {
				connection.setAutoCommit(autoCommit);
			}
			if (timeout >= 0) {
				connection.setNetworkTimeout(Runnable::run, timeout);
			}
		}
		catch (SQLException ex) {
			// The failure that broke the connection is thrown already.
		}
	}

	private static boolean isNotAllowed(DataAccessException ex) {
		return H2_NOT_ALLOWED.equals(state(ex));
	}

	/** The failure of the driver may have another cause. */
	private static boolean isLockTimeout(DataAccessException ex) {
		return ex.getCause() instanceof SQLException cause
				&& (LOCK_TIMEOUT.equals(cause.getSQLState()) || LOCK_TIMEOUTS.contains(cause.getErrorCode()));
	}

	private static LeaseStoreException locked(DataAccessException ex) {
		return LeaseStoreException.passing("another transaction has locked the row of the lock", ex);
	}

	private static @Nullable String state(DataAccessException ex) {
		return (ex.getMostSpecificCause() instanceof SQLException cause) ? cause.getSQLState() : null;
	}

	private LeaseStoreException translate(DataAccessException ex) {
		@Nullable String cause = ex.getMostSpecificCause().getMessage();
		if (isLockTimeout(ex)) {
			return locked(ex);
		}
		if (OVERFLOW.equals(state(ex))) {
			return LeaseStoreException.lasting(
					("the database refuses a number (%s). Set token and owner_token in the row of the lock in table "
							+ "%slock to values like those of other locks, or delete the row if the lock is free")
						.formatted(cause, this.tablePrefix),
					ex);
		}
		if (isRefusedValue(ex)) {
			return LeaseStoreException.lasting(
					"the database refuses a value (%s). Compare its %s with schema-*.sql of lock-jdbc: texts must have room for 255 characters of Latin-1, and no constraint or trigger of your own may refuse a row"
						.formatted(cause, tables()),
					ex);
		}
		if (ex instanceof BadSqlGrammarException) {
			return LeaseStoreException
				.lasting(("the tables of the locks do not exist in the database, or its user may not access them (%s). "
						+ "Set interlock.jdbc.initialize-schema to 'always', or run schema-*.sql of lock-jdbc")
					.formatted(cause), ex);
		}
		if (ex instanceof PermissionDeniedDataAccessException || isNotAllowed(ex)) {
			return LeaseStoreException
				.lasting("the database user may not read and change the tables of the locks (%s)".formatted(cause), ex);
		}
		if (ex instanceof InvalidDataAccessApiUsageException) {
			return LeaseStoreException.lasting("the database cannot execute a statement", ex);
		}
		return LeaseStoreException.passing("the database is not available: " + cause, ex);
	}

	private String tables() {
		return "tables %1$slock and %1$scontender".formatted(this.tablePrefix);
	}

	/**
	 * Return whether a column cannot hold a value. Some drivers call that bad grammar.
	 */
	private static boolean isRefusedValue(DataAccessException ex) {
		if (ex instanceof DuplicateKeyException) {
			return false;
		}
		@Nullable String state = state(ex);
		return ex instanceof DataIntegrityViolationException
				|| (state != null && DATA_ERROR.matcher(state).lookingAt());
	}

}
