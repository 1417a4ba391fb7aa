package io.interlock.faults.worker;

import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.faults.time.Lapse;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore;
import io.interlock.queue.QueueSettings;
import io.interlock.redis.LettuceConnections;
import io.interlock.redis.RedisLeaseStore;
import io.interlock.redis.RedisLeaseStoreSettings;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Interlock on a store of leases as an application has it: a pool of connections to
 * PostgreSQL, or a connection to Redis, a provider and a template.
 */
final class LeaseLocks extends TemplateLocks {

	private static final String JDBC = "jdbc:";

	private static final String REDIS = "redis:";

	private static final int POOL_SIZE = 6;

	private final LeaseLockProvider provider;

	private final AutoCloseable connections;

	private LeaseLocks(LeaseStore store, AutoCloseable connections, Duration lease, QueueSettings queue) {
		this(new LeaseLockProvider(store,
				new LeaseSettings("worker", lease, Duration.ofMillis(50), Duration.ofSeconds(1), 4, false)),
				connections, queue);
	}

	private LeaseLocks(LeaseLockProvider provider, AutoCloseable connections, QueueSettings queue) {
		super(provider, queue);
		this.provider = provider;
		this.connections = connections;
	}

	/**
	 * Return whether an address is that of a store of leases.
	 */
	static boolean isAt(String address) {
		return address.startsWith(JDBC) || address.startsWith(REDIS);
	}

	/**
	 * Connect.
	 * @param address a JDBC URL of PostgreSQL, or {@code redis://host:port}
	 * @param lease length of the leases
	 * @param queue how its threads queue among themselves
	 */
	static LeaseLocks at(String address, Duration lease, QueueSettings queue) {
		if (address.startsWith(JDBC)) {
			HikariDataSource pool = new HikariDataSource();
			pool.setJdbcUrl(address);
			pool.setMaximumPoolSize(POOL_SIZE);
			pool.setConnectionTimeout(1000);
			pool.setInitializationFailTimeout(-1);
			LockDatabase database = LockDatabase.POSTGRESQL;
			return new LeaseLocks(new JdbcLeaseStore(pool, new JdbcLeaseStoreSettings(database.clock(),
					database.returning(), true, database.byKey(), lease.dividedBy(3), Duration.ofDays(1))), pool, lease,
					queue);
		}
		URI server = URI.create(address);
		LettuceConnections connections = new LettuceConnections(
				new LettuceConnectionFactory(new RedisStandaloneConfiguration(server.getHost(), server.getPort())),
				lease.dividedBy(3));
		return new LeaseLocks(new RedisLeaseStore(connections.factory(),
				new RedisLeaseStoreSettings("interlock:", Duration.ofMinutes(1))), connections, lease, queue);
	}

	@Override
	public int deleting() {
		return this.provider.pendingReleases();
	}

	@Override
	public void exhaustPool(Duration duration) {
		if (this.connections instanceof HikariDataSource pool) {
			Thread thread = new Thread(() -> takeAll(pool, System.nanoTime() + duration.toNanos()), "exhaust");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private static void takeAll(HikariDataSource pool, long until) {
		List<Connection> taken = new ArrayList<>();
		try {
			while (taken.size() < POOL_SIZE && System.nanoTime() - until < 0) {
				take(pool, taken);
			}
			Lapse.of(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		taken.forEach(LeaseLocks::giveBack);
	}

	private static void take(HikariDataSource pool, List<Connection> taken) {
		try {
			taken.add(pool.getConnection());
		}
		catch (SQLException ex) {
			// The locks were faster.
		}
	}

	private static void giveBack(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException ex) {
			// The pool makes another one.
		}
	}

	@Override
	public void close() {
		stopHolding();
		this.provider.close();
		try {
			this.connections.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
