package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * What needs the driver of PostgreSQL, which may be absent: this type is loaded when it
 * is used.
 */
final class PostgresChannel {

	private PostgresChannel() {
	}

	/**
	 * Wait on a connection that listens.
	 * @param connection the connection, which has no transaction
	 * @param millis how long to wait at the most; more than zero
	 * @return what has arrived; empty if nothing has
	 */
	static List<String> await(Connection connection, int millis) throws SQLException {
		PGNotification @Nullable [] arrived = connection.unwrap(PGConnection.class).getNotifications(millis);
		return (arrived != null) ? Arrays.stream(arrived).map(PGNotification::getParameter).toList() : List.of();
	}

}
