package io.interlock.faults.worker;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.faults.time.Lapse;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.queue.QueueSettings;
import io.interlock.redis.RedisLeaseStore;
import io.interlock.redis.RedisLeaseStoreSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Interlock on a store of leases as an application has it: an application with
 * PostgreSQL, or a connection to Redis, a provider and a template.
 */
final class LeaseLocks extends TemplateLocks {

	private static final String JDBC = "jdbc:";

	private final LeaseLockProvider provider;

	private final @Nullable HikariDataSource pool;

	private final AutoCloseable connections;

	private LeaseLocks(LeaseLockProvider provider, @Nullable HikariDataSource pool, AutoCloseable connections,
			QueueSettings queue) {
		super(provider, queue);
		this.provider = provider;
		this.pool = pool;
		this.connections = connections;
	}

	/**
	 * Return whether an address is that of a store of leases.
	 */
	static boolean isAt(String address) {
		return address.startsWith(JDBC) || RedisConnections.isAt(address);
	}

	/**
	 * Connect.
	 * @param address a JDBC URL of PostgreSQL, or an address of Redis
	 * @param lease length of the leases
	 * @param queue how its threads queue among themselves
	 * @param poolSize how many connections to a database its locks have of their own
	 */
	static LeaseLocks at(String address, Duration lease, QueueSettings queue, int poolSize) {
		if (address.startsWith(JDBC)) {
			ConfigurableApplicationContext application = PostgresApplication.start(address, lease, poolSize);
			return new LeaseLocks(application.getBean(LeaseLockProvider.class),
					application.getBean(HikariDataSource.class), application, queue);
		}
		RedisConnections connections = RedisConnections.at(address, lease.dividedBy(3));
		LeaseLockProvider provider = new LeaseLockProvider(
				new RedisLeaseStore(connections.factory(),
						new RedisLeaseStoreSettings("interlock:", Duration.ofMinutes(1))),
				new LeaseSettings("worker", lease, Duration.ofMillis(50), Duration.ofSeconds(1), 4, false));
		return new LeaseLocks(provider, null, connections, queue);
	}

	@Override
	public int deleting() {
		return this.provider.pendingReleases();
	}

	@Override
	public void exhaustPool(Duration duration) {
		HikariDataSource pool = this.pool;
		if (pool != null) {
			Thread thread = new Thread(() -> takeAll(pool, System.nanoTime() + duration.toNanos()), "exhaust");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private static void takeAll(HikariDataSource pool, long until) {
		List<Connection> taken = new ArrayList<>();
		try {
			while (taken.size() < PostgresApplication.POOL_SIZE && System.nanoTime() - until < 0) {
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
