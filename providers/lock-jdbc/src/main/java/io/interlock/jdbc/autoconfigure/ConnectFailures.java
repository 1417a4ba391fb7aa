package io.interlock.jdbc.autoconfigure;

import java.sql.SQLException;

import io.interlock.lease.LeaseStoreException;

import org.springframework.core.NestedExceptionUtils;

/**
 * Says what a failure to connect to the database means for locks.
 */
final class ConnectFailures {

	/** The properties that say where the database is, and who may use it. */
	static final String PROPERTIES = "spring.datasource.url, spring.datasource.username and "
			+ "spring.datasource.password, or the DataSource with @LockDataSource";

	/** The class of the SQL states of a user or a password that is refused. */
	private static final String INVALID_AUTHORIZATION = "28";

	private ConnectFailures() {
	}

	/**
	 * Return what a failure to connect means: it passes, unless the database has refused
	 * the user.
	 */
	static LeaseStoreException translate(Exception failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		boolean refused = cause instanceof SQLException refusal && refusal.getSQLState() != null
				&& refusal.getSQLState().startsWith(INVALID_AUTHORIZATION);
		return refused
				? LeaseStoreException.lasting("the database refuses the user or the password: " + cause.getMessage(),
						"Correct " + PROPERTIES, failure)
				: LeaseStoreException.passing("the database is not available: " + cause.getMessage(), failure);
	}

}
