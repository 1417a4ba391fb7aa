package io.interlock.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseTime;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for holds that live through the cleaning of many old rows.
 */
@Deep
class JdbcCleaningTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final int ROWS = 100_000;

	private static final int HOLDS = 200;

	@Test
	void holdsLiveThroughCleaningOnH2() throws Exception {
		clean(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), "SYSTEM_RANGE(1, %d)");
	}

	@Test
	void holdsLiveThroughCleaningOnPostgres() throws Exception {
		try (PostgresServer server = PostgresServer.start()) {
			clean(LockDatabase.POSTGRESQL, server.url(), "generate_series(1, %d) AS numbers (x)");
		}
	}

	private static void clean(LockDatabase database, String url, String numbers) throws Exception {
		try (JdbcInstances instances = new JdbcInstances(database, url, LEASE, 4)) {
			instances.createTables();
			HikariDataSource pool = instances.pool();
			// H2 keeps the query timeout of a connection.
			JdbcClient client = JdbcClient.create(instances.pool());
			client
				.sql("INSERT INTO interlock_lock (lock_id, lock_name, lock_key, token, owner, owner_token, instance, "
						+ "lease_end, queued) SELECT CAST(x AS VARCHAR(64)), 'old', '', 1, "
						+ "CASE WHEN MOD(x, 2) = 0 THEN 'crashed' ELSE NULL END, 1, NULL, x, 0 FROM "
						+ numbers.formatted(ROWS))
				.update();
			Impatient time = new Impatient();
			try (LeaseLockProvider provider = new LeaseLockProvider(instances.store(new BreakableDataSource(pool)),
					new LeaseSettings("test", LEASE, Duration.ofMillis(50), Duration.ofSeconds(5), 4, false), time)) {
				Set<LockState> states = ConcurrentHashMap.newKeySet();
				List<LockGrant> grants = new ArrayList<>();
				for (int key = 0; key < HOLDS; key++) {
					LockGrant grant = provider.attempt(LockRequest.exclusive("held").withKey(key), LockCaller.current())
						.outcome()
						.get(1, TimeUnit.MINUTES)
						.orElseThrow();
					grant.onStateChange(states::add);
					grants.add(grant);
				}
				long before = System.nanoTime();
				int left = old(client);
				assertThat(left).isPositive();
				await().atMost(Duration.ofMinutes(5))
					.pollInterval(Duration.ofSeconds(1))
					.until(() -> old(client) < left);
				await().atMost(Duration.ofMinutes(5)).pollInterval(Duration.ofSeconds(1)).until(() -> old(client) == 0);
				System.out.printf("FIGURE %d old rows on %s cleaned: %d ms%n", left, database,
						TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before));
				// All are renewed after it too.
				assertThat(grants).allSatisfy((grant) -> {
					grant.verify();
					assertThat(grant.state() == LockState.LOST).isFalse();
				});
				assertThat(states).doesNotContain(LockState.LOST);
			}
		}
	}

	private static int old(JdbcClient client) {
		return client.sql("SELECT COUNT(*) FROM interlock_lock WHERE lock_name = 'old'").query(Integer.class).single();
	}

	/**
	 * The time of the system, in which the looks for old rows are soon.
	 */
	private static final class Impatient implements LeaseTime {

		private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

		private final LeaseTime system = LeaseTime.system();

		@Override
		public long nanoTime() {
			return this.system.nanoTime();
		}

		@Override
		public Future<?> schedule(Runnable task, long nanos) {
			return this.system.schedule(task, Math.min(nanos, LONGEST_WAIT.toNanos()));
		}

		@Override
		public ExecutorService threads(int size) {
			return this.system.threads(size);
		}

		@Override
		public ExecutorService thread() {
			return this.system.thread();
		}

		@Override
		public void close() {
			this.system.close();
		}

	}

}
