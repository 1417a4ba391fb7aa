package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's registry in PostgreSQL, with the statement that its documentation
 * gives for that database, and otherwise on its defaults.
 */
final class JdbcRegistryLocks extends JavaLocks {

	private final HikariDataSource pool;

	private final DefaultLockRepository repository;

	private final JdbcLockRegistry registry;

	JdbcRegistryLocks(String url, @Nullable Duration timeToLive) {
		this.pool = Pools.connect(url, timeToLive);
		this.repository = new DefaultLockRepository(this.pool);
		this.repository.setTransactionManager(new JdbcTransactionManager(this.pool));
		this.repository.setInsertQuery(this.repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
		this.repository.afterPropertiesSet();
		this.repository.afterSingletonsInstantiated();
		this.registry = (timeToLive != null) ? new JdbcLockRegistry(this.repository, timeToLive)
				: new JdbcLockRegistry(this.repository);
	}

	@Override
	Lock lock(String key) {
		return this.registry.obtain(key);
	}

	@Override
	public void close() {
		this.repository.close();
		this.pool.close();
	}

}
