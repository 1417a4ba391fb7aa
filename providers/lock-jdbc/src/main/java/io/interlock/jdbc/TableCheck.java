package io.interlock.jdbc;

import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Makes sure that the tables of the locks are there and may be used, and says what to do
 * if not.
 */
final class TableCheck {

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	/** Their names, for messages. */
	private final String tables;

	private final String tablePrefix;

	/** Why the script that creates them was refused, if it was. */
	private final @Nullable String refusal;

	TableCheck(JdbcCalls calls, JdbcStatements sql, String tables, String tablePrefix, @Nullable String refusal) {
		this.calls = calls;
		this.sql = sql;
		this.tables = tables;
		this.tablePrefix = tablePrefix;
		this.refusal = refusal;
	}

	void run() {
		try {
			this.calls.run((client) -> {
				this.sql.check().forEach((statement) -> client.sql(statement).update());
				return client.sql(this.sql.version()).query(Integer.class).list();
			});
		}
		catch (LeaseStoreException ex) {
			throw ex.isPassing() ? ex : unusable(ex);
		}
	}

	private String grants() {
		return "The user of the application needs SELECT, INSERT, UPDATE and DELETE on the %s, and SELECT on %sversion"
			.formatted(this.tables, this.tablePrefix);
	}

	private LeaseStoreException unusable(LeaseStoreException ex) {
		String reason = brief(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
		if (this.refusal == null) {
			return LeaseStoreException.lasting(
					"the tables of the locks do not exist in the database, or its user may not access them (%s)"
						.formatted(reason),
					"Set interlock.jdbc.initialize-schema to 'always', or run schema-*.sql of io/interlock/jdbc in the jar of lock-jdbc. "
							+ grants(),
					ex);
		}
		return LeaseStoreException.lasting(
				"the database has refused the script that creates the tables of the locks (%s), and they cannot be used as they are (%s)"
					.formatted(brief(this.refusal), reason),
				"Run schema-*.sql of io/interlock/jdbc in the jar of lock-jdbc as a user that may create tables, and set interlock.jdbc.initialize-schema to 'never'. "
						+ grants(),
				ex);
	}

	/**
	 * Return the reason given by a database, without the statement that some drivers
	 * repeat.
	 */
	private static String brief(@Nullable String reason) {
		return String.valueOf(reason).lines().findFirst().orElse("").replaceFirst("; SQL statement:$", "");
	}

}
