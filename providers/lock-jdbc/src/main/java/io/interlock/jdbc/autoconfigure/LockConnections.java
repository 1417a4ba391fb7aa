package io.interlock.jdbc.autoconfigure;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.SmartDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/**
 * The connections that locks use. Not a {@link DataSource} itself, so that the
 * application has one bean of that type as before.
 * <p>
 * Invariant: with pools of their own, no thread of the locks waits for a connection that
 * another one keeps, however long that one waits for a row. There is a connection for
 * each thread that asks or releases, one for the thread that listens, and a pool for the
 * threads that renew: a renewal without a connection loses all holds.
 */
final class LockConnections implements AutoCloseable {

	/** Two threads release and verify. The thread that cleans up waits for no row. */
	private static final int RELEASING_THREADS = 2;

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			LockConnections.class.getClassLoader());

	private final DataSource database;

	private final @Nullable HikariPools pools;

	private final int askingThreads;

	private final AtomicBoolean listening = new AtomicBoolean();

	private LockConnections(DataSource database, @Nullable HikariPools pools, int askingThreads) {
		this.database = database;
		this.pools = pools;
		this.askingThreads = askingThreads;
	}

	/**
	 * Use the connections of the application.
	 */
	static LockConnections shared(DataSource database, JdbcLockProperties properties) {
		return new LockConnections(database, null, properties.threads());
	}

	/**
	 * Make pools like that of the application. A {@link DataSource} without a pool is
	 * used as it is: it gives a connection to each thread anyway.
	 */
	static LockConnections like(DataSource application, JdbcLockProperties properties) {
		if (isWrapperFor(application, AbstractRoutingDataSource.class)) {
			throw refusal(properties,
					"The DataSource routes to several others, so it is not clear which database holds the locks (%s)."
						.formatted(application.getClass().getName()));
		}
		int threads = Math.min(properties.threads(), properties.poolSize());
		Duration timeout = properties.lease().dividedBy(3);
		HikariPools pools = HIKARI ? HikariPools.like(application, threads + RELEASING_THREADS, timeout) : null;
		if (pools == null) {
			if (hasNoPool(application)) {
				return shared(application, properties);
			}
			throw refusal(properties,
					"No pool for locks can be created from the DataSource, which is not a HikariDataSource (%s)."
						.formatted(application.getClass().getName()));
		}
		if (pools.isPrivate()) {
			throw refusal(properties, "Without a name, a database of H2 in memory is private to each connection.");
		}
		return new LockConnections(application, pools, threads);
	}

	private static boolean hasNoPool(DataSource application) {
		return isWrapperFor(application, AbstractDriverBasedDataSource.class)
				&& !isWrapperFor(application, SmartDataSource.class);
	}

	private static boolean isWrapperFor(DataSource application, Class<?> type) {
		try {
			return application.isWrapperFor(type);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private static InvalidConfigurationPropertyValueException refusal(JdbcLockProperties properties, String reason) {
		return new InvalidConfigurationPropertyValueException("interlock.jdbc.pool-size", properties.poolSize(), reason
				+ " Define a DataSource bean with @LockDataSource, or set interlock.jdbc.pool-size to 0 to use the connections of the application.");
	}

	/**
	 * {@return what the application or {@link LockDataSource} gives}
	 */
	DataSource database() {
		return this.database;
	}

	/**
	 * Return whether the database is inside this process. It is asked only if its URL is
	 * not known, and one that does not answer is not.
	 */
	boolean isEmbedded() {
		String url = DatabaseAddress.url(requests());
		return (url != null)
				? EmbeddedDatabaseConnection.isEmbedded(DatabaseDriver.fromJdbcUrl(url).getDriverClassName(), url)
				: EmbeddedDatabaseConnection.isEmbedded(this.database);
	}

	/**
	 * {@return connections for everything apart from renewals, the tables too}
	 */
	DataSource requests() {
		return (this.pools != null) ? this.pools.requests() : this.database;
	}

	/**
	 * {@return connections for the threads that renew}
	 */
	DataSource renewals() {
		return (this.pools != null) ? this.pools.renewals() : this.database;
	}

	/**
	 * Return what gives a connection for as long as contenders wait. The pool of the
	 * locks has room for one more from then on; a {@link DataSource} that they do not
	 * size gives one only if the application says so.
	 */
	@Nullable DataSource listening(JdbcLockProperties properties) {
		if (this.pools == null) {
			return Boolean.TRUE.equals(properties.notifies()) ? this.database : null;
		}
		if (this.listening.compareAndSet(false, true)) {
			this.pools.addRequest();
		}
		return this.pools.requests();
	}

	/**
	 * {@return how many threads may ask for locks}
	 */
	int askingThreads() {
		return this.askingThreads;
	}

	@Override
	public void close() {
		if (this.pools != null) {
			this.pools.close();
		}
	}

}
