package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import io.interlock.jdbc.LockDatabase;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.SQLErrorCodeSQLExceptionTranslator;

/**
 * Runs statements that create tables. One that has to wait for a table lets all later
 * statements on that table wait behind it, renewals of leases too, so it gives up after a
 * second. Each statement is a transaction of its own.
 */
final class SchemaStatements {

	private final DataSource dataSource;

	SchemaStatements(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Run a statement, unless what it creates is there.
	 * @throws DataAccessException if the database refuses it: a
	 * {@link org.springframework.dao.PessimisticLockingFailureException} if a transaction
	 * has kept the table locked
	 * @throws SQLException if there is no connection
	 */
	void run(String statement) throws SQLException {
		try (Connection connection = this.dataSource.getConnection()) {
			if (!SchemaCatalog.hasWhatIsCreatedBy(statement, connection)) {
				run(statement, connection);
			}
		}
	}

	private static void run(String statement, Connection connection) throws SQLException {
		boolean autoCommit = connection.getAutoCommit();
		connection.setAutoCommit(false);
		boolean done = false;
		try {
			String product = connection.getMetaData().getDatabaseProductName();
			run(statement, template(connection, product), patience(product));
			connection.commit();
			done = true;
		}
		finally {
			if (!done) {
				connection.rollback();
			}
			connection.setAutoCommit(autoCommit);
		}
	}

	private static JdbcTemplate template(Connection connection, String product) {
		JdbcTemplate template = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
		template.setExceptionTranslator(new SQLErrorCodeSQLExceptionTranslator(product));
		return template;
	}

	private static void run(String statement, JdbcTemplate template, @Nullable Patience patience) {
		if (patience == null) {
			template.execute(statement);
			return;
		}
		String before = template.queryForObject(patience.query(), String.class);
		template.execute(patience.change().formatted(patience.value()));
		try {
			template.execute(statement);
		}
		finally {
			if (!patience.endsWithTransaction()) {
				template.execute(patience.change().formatted(before));
			}
		}
	}

	private static @Nullable Patience patience(String product) {
		return LockDatabase.ofProduct(product).map((database) -> switch (database) {
			case H2 -> new Patience("CALL LOCK_TIMEOUT()", "SET LOCK_TIMEOUT %s", "1000", false);
			// A pooler may give the session to another client after a transaction.
			case POSTGRESQL -> new Patience("SHOW lock_timeout", "SET LOCAL lock_timeout = '%s'", "1s", true);
			case MYSQL, MARIADB -> new Patience("SELECT @@lock_wait_timeout", "SET lock_wait_timeout = %s", "1", false);
		}).orElse(null);
	}

	/**
	 * How long a statement waits for a table that is locked.
	 *
	 * @param query returns the present value
	 * @param change sets a value
	 * @param value one second
	 * @param endsWithTransaction whether the value before is back after the transaction
	 */
	private record Patience(String query, String change, String value, boolean endsWithTransaction) {

	}

}
