package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Opens the connections of a pool, and tries again in short intervals while the database
 * refuses them. A pool of HikariCP that is told of a failure pauses for longer and
 * longer, up to five seconds, so that renewals would wait behind the end of an outage.
 */
final class PersistentConnections extends DelegatingDataSource {

	private static final long PAUSE_MILLIS = 100;

	private final Duration patience;

	/**
	 * Create a source of connections.
	 * @param target opens them
	 * @param patience time after which a failure is told
	 */
	PersistentConnections(DataSource target, Duration patience) {
		super(target);
		this.patience = patience;
	}

	@Override
	public Connection getConnection() throws SQLException {
		return open(super::getConnection);
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		return open(() -> super.getConnection(username, password));
	}

	private Connection open(Opening opening) throws SQLException {
		long begin = System.nanoTime();
		while (true) {
			try {
				return opening.open();
			}
			catch (SQLException ex) {
				if (System.nanoTime() - begin >= this.patience.toNanos()) {
					throw ex;
				}
				pause(ex);
			}
		}
	}

	/** A pool that ends interrupts the thread that opens its connections. */
	private static void pause(SQLException failure) throws SQLException {
		try {
			TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure;
		}
	}

	@FunctionalInterface
	private interface Opening {

		Connection open() throws SQLException;

	}

}
