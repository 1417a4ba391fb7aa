package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.jdbc.MovedDatabase;
import io.interlock.jdbc.MovedLeaseTime;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the pools of locks leave to the other holds of an instance while a peer that is
 * stopped keeps rows locked.
 */
class LockedRowsTests {

	/** Longer than a machine stalls. It costs nothing, because it never really passes. */
	private static final Duration LEASE = Duration.ofMinutes(3);

	private final MovedTime time = new MovedTime();

	private final HikariDataSource application = new HikariDataSource();

	private final JdbcClient client = JdbcClient.create(this.application);

	private LockConnections connections;

	private LeaseLockProvider provider;

	@BeforeEach
	void start() {
		this.application
			.setJdbcUrl("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=600000".formatted(UUID.randomUUID()));
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ClassPathResource("schema-h2.sql", JdbcLeaseStore.class)),
				this.application);
		this.connections = LockConnections.like(this.application, new JdbcLockProperties(LEASE, Duration.ofMillis(50),
				8, 2, Duration.ofDays(1), null, DatabaseInitializationMode.NEVER, "", null, "interlock_", null));
		this.provider = new LeaseLockProvider(
				new JdbcLeaseStore(new MovedDatabase(LockDatabase.H2, this.connections.requests(), this.time),
						new MovedDatabase(LockDatabase.H2, this.connections.renewals(), this.time), null,
						new JdbcLeaseStoreSettings(MovedDatabase.clock(LockDatabase.H2), true, true, "",
								LEASE.dividedBy(3), Duration.ofDays(1)),
						new LeaseStoreAddress("H2", "memory", "tables", "this test"), null),
				new LeaseSettings("test", LEASE, Duration.ofMillis(50), Duration.ofSeconds(5),
						this.connections.askingThreads(), false),
				new MovedLeaseTime(this.time));
	}

	@AfterEach
	void stop() {
		this.provider.close();
		this.connections.close();
		this.application.close();
		this.time.close();
	}

	@Test
	void holdsAreRenewedWhileOtherRequestsWaitForRows() throws Exception {
		List<LockGrant> released = acquire("released-0", "released-1");
		acquire("asked-0", "asked-1", "asked-2").forEach((grant) -> grant.release().join());
		List<LockGrant> holds = acquire(
				IntStream.range(0, 10).mapToObj((number) -> "hold-" + number).toArray(String[]::new));
		try (Connection peer = lockRows()) {
			List<LockAttempt> attempts = List.of(attempt("asked-0"), attempt("asked-1"), attempt("asked-2"));
			released.forEach(LockGrant::release);
			await().untilAsserted(() -> assertThat(blocked()).isEqualTo(2));
			for (int third = 0; third < 6; third++) {
				long before = firstEnd();
				// Nothing rests that could be waited for: two threads are blocked.
				this.time.jump(LEASE.dividedBy(3));
				await().untilAsserted(() -> assertThat(firstEnd()).isGreaterThan(before));
			}
			assertThat(blocked()).isEqualTo(2);
			assertThat(holds).extracting(LockGrant::state).containsOnly(LockState.VALID);
			peer.rollback();
			assertThat(attempts)
				.allSatisfy((attempt) -> assertThat(attempt.outcome()).succeedsWithin(Duration.ofSeconds(30)));
		}
	}

	@Test
	void releaseDoesNotWaitBehindAttempts() throws Exception {
		acquire("asked-0", "asked-1", "asked-2").forEach((grant) -> grant.release().join());
		LockGrant hold = acquire("hold").get(0);
		try (Connection peer = lockRows()) {
			List.of("asked-0", "asked-1", "asked-2").forEach(this::attempt);
			await().untilAsserted(() -> assertThat(blocked()).isOne());
			hold.verify();
			assertThat(hold.release()).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(LockState.RELEASED);
			assertThat(blocked()).isOne();
			peer.rollback();
		}
	}

	private List<LockGrant> acquire(String... names) {
		return List.of(names).stream().map((name) -> attempt(name).outcome().join().orElseThrow()).toList();
	}

	private LockAttempt attempt(String name) {
		return this.provider.attempt(LockRequest.exclusive(name), LockCaller.current());
	}

	/**
	 * Lock what a peer that is stopped within its transaction keeps locked.
	 */
	private Connection lockRows() throws SQLException {
		Connection peer = this.application.getConnection();
		peer.setAutoCommit(false);
		peer.createStatement().executeQuery("SELECT * FROM interlock_lock WHERE lock_name NOT LIKE 'hold%' FOR UPDATE");
		return peer;
	}

	/**
	 * Return when the first lease of the holds is over, for the database.
	 */
	private long firstEnd() {
		return this.client.sql("SELECT MIN(lease_end) FROM interlock_lock WHERE lock_name LIKE 'hold%'")
			.query(Long.class)
			.single();
	}

	private int blocked() {
		return this.client.sql("SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE BLOCKER_ID IS NOT NULL")
			.query(Integer.class)
			.single();
	}

}
