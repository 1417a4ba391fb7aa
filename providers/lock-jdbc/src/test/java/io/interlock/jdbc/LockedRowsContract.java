package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What rows that another transaction has locked cost, on one of the databases: their own
 * locks, and no other one.
 */
abstract class LockedRowsContract {

	/** A third of it is longer than the patience of these tests. */
	private static final Duration LEASE = Duration.ofMinutes(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final JdbcInstances instances;

	private final JdbcClient client;

	private LeaseLockProvider instance;

	private LeaseLockProvider peer;

	LockedRowsContract(LockDatabase database, String url) {
		this.instances = new JdbcInstances(database, url, LEASE, 7);
		this.client = JdbcClient.create(this.instances.pool());
	}

	@BeforeEach
	void start() {
		this.instances.createTables();
		this.instance = this.instances.start();
		this.peer = this.instances.start();
	}

	@AfterEach
	void stop() {
		this.client.sql("DELETE FROM interlock_contender").update();
		this.client.sql("DELETE FROM interlock_lock").update();
		this.instances.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 4, 8 })
	void releasesOfLockedRowsDelayNoOtherLock(int rows) throws Exception {
		List<LockGrant> locked = acquire("locked", rows);
		try (Connection operator = lockRows()) {
			List<CompletableFuture<LockState>> releases = locked.stream().map(LockGrant::release).toList();
			useOtherLocks();
			assertThat(releases).noneMatch(CompletableFuture::isDone);
			operator.rollback();
			assertThat(releases)
				.allSatisfy((release) -> assertThat(release).succeedsWithin(PATIENCE).isEqualTo(LockState.RELEASED));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 4, 8 })
	void acquisitionsOfLockedRowsDelayNoOtherLock(int rows) throws Exception {
		acquire("locked", rows).forEach((grant) -> assertThat(grant.release()).succeedsWithin(PATIENCE));
		try (Connection operator = lockRows()) {
			List<LockAttempt> attempts = IntStream.range(0, rows)
				.mapToObj((row) -> begin(LockRequest.exclusive("locked")
					.withKey(row)
					.withWaitTime((row % 2 == 0) ? Duration.ZERO : LockRequest.FOREVER)))
				.toList();
			useOtherLocks();
			assertThat(attempts).noneMatch((attempt) -> attempt.outcome().isDone());
			operator.rollback();
			assertThat(attempts).allSatisfy((attempt) -> assertThat(attempt.outcome()).succeedsWithin(PATIENCE)
				.satisfies((grant) -> assertThat(grant).isPresent()));
		}
	}

	@Test
	void readersOfLockedRowsDelayNoOtherLock() throws Exception {
		List<LockGrant> readers = IntStream.range(0, 4)
			.mapToObj((row) -> grant(begin(LockRequest.shared("locked").withKey(row))))
			.toList();
		try (Connection operator = lockRows()) {
			List<CompletableFuture<LockState>> releases = readers.stream().map(LockGrant::release).toList();
			List<LockAttempt> attempts = IntStream.range(0, 4)
				.mapToObj((row) -> begin(LockRequest.shared("locked").withKey(row)))
				.toList();
			useOtherLocks();
			assertThat(releases).noneMatch(CompletableFuture::isDone);
			operator.rollback();
			assertThat(releases)
				.allSatisfy((release) -> assertThat(release).succeedsWithin(PATIENCE).isEqualTo(LockState.RELEASED));
			assertThat(attempts).allSatisfy((attempt) -> grant(attempt).release());
		}
	}

	/** Use other locks than those whose rows are locked, in every way. */
	private void useOtherLocks() {
		LockGrant free = grant(begin(LockRequest.exclusive("free")));
		LockGrant reader = grant(begin(LockRequest.shared("read")));
		assertThat(this.peer.attempt(LockRequest.exclusive("free").withWaitTime(Duration.ZERO), LockCaller.current())
			.outcome()).succeedsWithin(PATIENCE).satisfies((grant) -> assertThat(grant).isEmpty());
		LockAttempt waiter = this.peer.attempt(LockRequest.exclusive("free").withWaitTime(LockRequest.FOREVER),
				LockCaller.current());
		free.verify();
		Stream.of(free, reader)
			.forEach((grant) -> assertThat(grant.release()).succeedsWithin(PATIENCE).isEqualTo(LockState.RELEASED));
		assertThat(grant(waiter).release()).succeedsWithin(PATIENCE).isEqualTo(LockState.RELEASED);
	}

	private List<LockGrant> acquire(String name, int count) {
		return IntStream.range(0, count)
			.mapToObj((key) -> grant(begin(LockRequest.exclusive(name).withKey(key))))
			.toList();
	}

	private LockAttempt begin(LockRequest request) {
		return this.instance.attempt(request, LockCaller.current());
	}

	private static LockGrant grant(LockAttempt attempt) {
		assertThat(attempt.outcome()).succeedsWithin(PATIENCE);
		return attempt.outcome().join().orElseThrow();
	}

	/** Lock rows by their keys, because MariaDB would lock the whole table. */
	private Connection lockRows() throws SQLException {
		Connection operator = this.instances.pool().getConnection();
		operator.setAutoCommit(false);
		for (String row : rows("SELECT lock_id FROM interlock_lock WHERE lock_name = 'locked'")) {
			lock(operator, "SELECT * FROM interlock_lock WHERE lock_id = ? FOR UPDATE", row);
		}
		for (String row : rows("SELECT contender FROM interlock_contender")) {
			lock(operator, "SELECT * FROM interlock_contender WHERE contender = ? FOR UPDATE", row);
		}
		return operator;
	}

	private List<String> rows(String query) {
		return this.client.sql(query).query(String.class).list();
	}

	private static void lock(Connection operator, String query, String row) throws SQLException {
		try (PreparedStatement statement = operator.prepareStatement(query)) {
			statement.setString(1, row);
			assertThat(statement.executeQuery().next()).isTrue();
		}
	}

}
