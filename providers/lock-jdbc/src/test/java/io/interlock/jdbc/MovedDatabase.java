package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import io.interlock.testsupport.time.MovedTime;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A database whose clock is ahead of its own by as much as a test has moved the time.
 * Each call to the database gets a connection of its own, and it is told then.
 */
public final class MovedDatabase extends DelegatingDataSource {

	private final LockDatabase database;

	private final MovedTime time;

	public MovedDatabase(LockDatabase database, DataSource target, MovedTime time) {
		super(target);
		this.database = database;
		this.time = time;
	}

	/**
	 * {@return SQL expression for the time that is moved}
	 */
	public static String clock(LockDatabase database) {
		return "(%s + CAST(%s))".formatted(database.clock(), switch (database) {
			case H2 -> "@moved AS BIGINT";
			case POSTGRESQL -> "current_setting('interlock.moved') AS BIGINT";
			case MYSQL, MARIADB -> "@moved AS SIGNED";
		});
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		try (Statement statement = connection.createStatement()) {
			String variable = (this.database == LockDatabase.POSTGRESQL) ? "interlock.moved" : "@moved";
			statement.execute("SET %s = %d".formatted(variable, this.time.moved().toMillis()));
			return connection;
		}
		catch (SQLException ex) {
			connection.close();
			throw ex;
		}
	}

}
