package io.interlock.jdbc.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceUnwrapper;

/**
 * Pools with the configuration of another one, apart from what locks need. They open
 * their first connections when they are used.
 *
 * @param requests for everything apart from renewals; keeps one connection while it is
 * idle
 * @param renewals for the thread that renews, and for the one that renews alone
 */
record HikariPools(HikariDataSource requests, HikariDataSource renewals) implements AutoCloseable {

	/** The least that a pool accepts. */
	private static final long SHORTEST_TIMEOUT_MILLIS = 250;

	private static final int RENEWING_THREADS = 2;

	private static final Pattern PRIVATE = Pattern.compile("jdbc:h2:mem:(;.*)?", Pattern.CASE_INSENSITIVE);

	/**
	 * Make pools like one that may be wrapped.
	 * @return the pools, or {@code null} if it is none of HikariCP
	 */
	static @Nullable HikariPools like(DataSource application, int requests, Duration timeout) {
		HikariDataSource pool = DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class,
				HikariDataSource.class);
		if (pool == null) {
			return null;
		}
		DataSource unpooled = unpooled(pool);
		HikariDataSource renewals = new HikariDataSource();
		copy(pool, renewals, "interlock-renewals", RENEWING_THREADS, timeout);
		renewals.setIdleTimeout(0);
		renewals.setDataSource(new PersistentConnections(unpooled, timeout));
		HikariDataSource reachable = new ReachablePool(unpooled);
		copy(pool, reachable, "interlock", requests, timeout);
		return new HikariPools(reachable, renewals);
	}

	/**
	 * Return what a pool like that of the application opens its connections with.
	 */
	private static DataSource unpooled(HikariDataSource application) {
		HikariDataSource config = new HikariDataSource();
		copy(application, config, "interlock-unused", 1, Duration.ZERO);
		config.setMinimumIdle(0);
		config.setInitializationFailTimeout(-1);
		HikariPool pool = new HikariPool(config);
		try {
			pool.shutdown();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return pool.getUnwrappedDataSource();
	}

	private static void copy(HikariDataSource application, HikariDataSource pool, String name, int size,
			Duration timeout) {
		application.copyStateTo(pool);
		pool.setPoolName(name);
		pool.setMaximumPoolSize(size);
		pool.setMinimumIdle(1);
		long millis = Math.max(SHORTEST_TIMEOUT_MILLIS, timeout.toMillis());
		pool.setConnectionTimeout(millis);
		pool.setValidationTimeout(Math.min(millis, application.getValidationTimeout()));
		pool.setInitializationFailTimeout(1);
		pool.setLeakDetectionThreshold(0);
		pool.setAutoCommit(true);
		pool.setReadOnly(false);
		if (application.getCredentialsProvider() == null) {
			// The password of the application may change while it runs.
			pool.setCredentialsProvider(application::getCredentials);
		}
		hide(pool);
	}

	/**
	 * Leave meters and management to the pool of the application.
	 */
	private static void hide(HikariDataSource pool) {
		if (pool.getMetricsTrackerFactory() != null) {
			pool.setMetricsTrackerFactory(null);
		}
		else {
			pool.setMetricRegistry(null);
		}
		pool.setHealthCheckRegistry(null);
		pool.setRegisterMbeans(false);
		pool.setAllowPoolSuspension(false);
	}

	/** Allow one more connection in the pool for requests. */
	void addRequest() {
		this.requests.setMaximumPoolSize(this.requests.getMaximumPoolSize() + 1);
	}

	/**
	 * {@return whether each connection has a database of its own}
	 */
	boolean isPrivate() {
		String url = this.requests.getJdbcUrl();
		return url != null && PRIVATE.matcher(url).matches();
	}

	@Override
	public void close() {
		this.requests.close();
		this.renewals.close();
	}

}
