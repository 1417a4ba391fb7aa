package io.interlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseTime;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.time.MovedTime;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * Instances of an application on one database, each with a pool of its own.
 */
final class JdbcInstances implements AutoCloseable {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

	private static final long PATIENCE_MILLIS = 1000;

	/** Number of threads of a provider that ask, release and renew. */
	private static final int THREADS = 8;

	private final LockDatabase database;

	private final String url;

	private final Duration lease;

	private final int poolSize;

	/** {@code null} for the time of the system. */
	private final @Nullable MovedTime time;

	private final Map<LeaseLockProvider, BreakableDataSource> dataSources = new HashMap<>();

	private final List<HikariDataSource> pools = new ArrayList<>();

	JdbcInstances(LockDatabase database, String url, Duration lease, int poolSize) {
		this(database, url, lease, poolSize, null);
	}

	JdbcInstances(LockDatabase database, String url, Duration lease, int poolSize, @Nullable MovedTime time) {
		this.database = database;
		this.url = url;
		this.lease = lease;
		this.poolSize = poolSize;
		this.time = time;
	}

	/**
	 * Return a pool that is patient with a machine that stalls.
	 */
	HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(this.url);
		pool.setUsername("postgres");
		pool.setMaximumPoolSize(this.poolSize);
		pool.setMinimumIdle(1);
		pool.setConnectionTimeout(30_000);
		pool.setInitializationFailTimeout(30_000);
		this.pools.add(pool);
		return pool;
	}

	void createTables() {
		try (HikariDataSource pool = pool()) {
			String script = "schema-%s.sql".formatted(this.database.name().toLowerCase(Locale.ROOT));
			DatabasePopulatorUtils
				.execute(new ResourceDatabasePopulator(new ClassPathResource(script, JdbcLeaseStore.class)), pool);
		}
	}

	/**
	 * Return a store whose connections listen where the database tells of releases.
	 */
	JdbcLeaseStore store(DataSource dataSource) {
		return store(dataSource, (this.database == LockDatabase.POSTGRESQL) ? pool() : null);
	}

	JdbcLeaseStore store(DataSource dataSource, @Nullable DataSource listening) {
		String clock = (this.time != null) ? MovedDatabase.clock(this.database) : this.database.clock();
		JdbcLeaseStoreSettings settings = new JdbcLeaseStoreSettings(clock, this.database.returning(), true,
				this.database.byKey(), this.lease.dividedBy(3), Duration.ofDays(1), "interlock_", listening != null, "",
				this.database != LockDatabase.MYSQL);
		DataSource renewals = (this.poolSize >= THREADS) ? new DelegatingDataSource(dataSource) : dataSource;
		return new JdbcLeaseStore(dataSource, renewals, listening, settings,
				new LeaseStoreAddress(this.database.name(), this.url, "tables", "this test"), null);
	}

	LeaseLockProvider start() {
		return start(new LeaseSettings("test", this.lease, POLL_INTERVAL, Duration.ofSeconds(5), 4, false));
	}

	LeaseLockProvider start(LeaseSettings settings) {
		HikariDataSource pool = pool();
		pool.setConnectionTimeout(PATIENCE_MILLIS);
		pool.setInitializationFailTimeout(1);
		BreakableDataSource dataSource = new BreakableDataSource(
				(this.time != null) ? new MovedDatabase(this.database, pool, this.time) : pool);
		LeaseLockProvider provider = new LeaseLockProvider(store(dataSource), settings,
				(this.time != null) ? new MovedLeaseTime(this.time) : LeaseTime.system());
		this.dataSources.put(provider, dataSource);
		return provider;
	}

	/**
	 * Let the pools wait for a connection no longer than they must, while there is none.
	 */
	void expectOutage(boolean outage) {
		this.pools.forEach((pool) -> pool.setConnectionTimeout(outage ? PATIENCE_MILLIS / 4 : PATIENCE_MILLIS));
	}

	void cutOff(LockProvider instance) {
		this.dataSources.get(instance).setBroken(true);
	}

	void setBroken(boolean broken) {
		this.dataSources.values().forEach((dataSource) -> dataSource.setBroken(broken));
	}

	static int contenders(JdbcClient client, String name) {
		return client
			.sql("SELECT (SELECT COUNT(*) FROM interlock_lock WHERE lock_name = ? AND owner IS NOT NULL) + "
					+ "(SELECT COUNT(*) FROM interlock_contender c JOIN interlock_lock l ON c.lock_id = l.lock_id "
					+ "WHERE l.lock_name = ?)")
			.params(name, name)
			.query(Integer.class)
			.single();
	}

	@Override
	public void close() {
		setBroken(false);
		this.dataSources.keySet().forEach(LeaseLockProvider::close);
		this.pools.forEach(HikariDataSource::close);
	}

}
