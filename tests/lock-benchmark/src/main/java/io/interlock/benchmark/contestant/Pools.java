package io.interlock.benchmark.contestant;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

/**
 * Pools of connections to PostgreSQL, on the defaults of HikariCP: ten connections.
 */
final class Pools {

	static final String USER = "postgres";

	private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

	private Pools() {
	}

	static HikariDataSource connect(String url, @Nullable Duration lease) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername(USER);
		pool.setConnectionTimeout(timeout(lease).toMillis());
		return pool;
	}

	/**
	 * Return after which time a pool without a connection gives up.
	 * @param lease if not {@code null}, a third of it, so that an outage is noticed while
	 * locks are held
	 */
	static Duration timeout(@Nullable Duration lease) {
		return (lease != null) ? lease.dividedBy(3) : DEFAULT_TIMEOUT;
	}

}
