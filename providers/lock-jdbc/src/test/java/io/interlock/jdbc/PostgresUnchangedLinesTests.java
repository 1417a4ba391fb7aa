package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link UnchangedLines}.
 */
class PostgresUnchangedLinesTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final String LOOK = "SELECT l.owner";

	private static final String FREE = "UPDATE interlock_lock";

	private static final String OWN = "WITH owned AS";

	private final PostgresServer server = PostgresServer.start();

	private final JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, this.server.url(), LEASE, 4);

	private final WatchedDataSource watched = new WatchedDataSource(this.instances.pool());

	private JdbcLeaseStore store;

	private JdbcLeaseStore other;

	@BeforeEach
	void createStores() {
		this.instances.createTables();
		this.other = this.instances.store(this.instances.pool());
		this.store = this.instances.store(this.watched);
		this.store.check();
	}

	@AfterEach
	void stop() {
		this.store.close();
		this.other.close();
		this.instances.close();
		this.server.close();
	}

	private static LeaseContender contender(LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), mode, 3, false);
	}

	private LeaseContender holder(LockMode mode) {
		LeaseContender holder = contender(mode);
		assertThat(this.other.acquire(holder, LEASE, false).granted()).isTrue();
		return holder;
	}

	private LeaseContender waiter(JdbcLeaseStore store, LockMode mode) {
		LeaseContender waiter = contender(mode);
		assertThat(store.acquire(waiter, LEASE, true).granted()).isFalse();
		// The thread that listens sends statements of its own until it does.
		await().until(store::isTelling);
		return waiter;
	}

	private void assertSent(String... beginnings) {
		assertThat(this.watched.transactions).isEmpty();
		assertThat(List.copyOf(this.watched.statements)).hasSize(beginnings.length)
			.zipSatisfy(List.of(beginnings), (sql, beginning) -> assertThat(sql).startsWith(beginning));
	}

	private int queued() {
		return JdbcClient.create(this.instances.pool())
			.sql("SELECT queued FROM interlock_lock")
			.query(Integer.class)
			.single();
	}

	private void beforeOwning(Runnable action) {
		this.watched.swallowed = (sql) -> {
			if (sql.startsWith(OWN)) {
				this.watched.swallowed = (next) -> false;
				action.run();
			}
			return false;
		};
	}

	@Test
	void waiterTakesItsTurnByOneStatement() {
		LeaseContender holder = holder(LockMode.EXCLUSIVE);
		LeaseContender waiter = waiter(this.store, LockMode.EXCLUSIVE);
		LeaseContender last = waiter(this.other, LockMode.EXCLUSIVE);
		this.other.release(holder);
		this.watched.forget();
		LeaseAnswer answer = this.store.acquireInTurn(waiter, LEASE);
		assertThat(answer.granted()).isTrue();
		assertSent(LOOK, OWN);
		assertThat(queued()).isOne();
		assertThat(this.store.isHeld(waiter)).isTrue();
		assertThat(this.other.acquireInTurn(last, LEASE)).isEqualTo(LeaseAnswer.heldBy(answer.token()));
		assertThat(this.store.release(waiter)).isTrue();
		LeaseAnswer next = this.other.acquireInTurn(last, LEASE);
		assertThat(next.granted()).isTrue();
		assertThat(next.token()).isGreaterThan(answer.token());
		assertThat(queued()).isZero();
	}

	/** The row still says that there are contenders when the last one has gone. */
	@Test
	void callerTakesALockWhoseLastContenderHasGoneByOneStatement() {
		LeaseContender reader = holder(LockMode.SHARED);
		this.other.release(reader);
		assertThat(queued()).isOne();
		this.watched.forget();
		LeaseContender caller = contender(LockMode.EXCLUSIVE);
		LeaseAnswer answer = this.store.acquire(caller, LEASE, false);
		assertThat(answer.granted()).isTrue();
		assertSent(FREE, LOOK, OWN);
		assertThat(queued()).isZero();
		assertThat(this.store.acquire(caller, LEASE, false)).isEqualTo(answer);
	}

	@ParameterizedTest
	@EnumSource
	void holderThatComesBehindTheLookIsNotPassed(LockMode mode) {
		this.other.release(holder(LockMode.SHARED));
		AtomicReference<LeaseContender> holder = new AtomicReference<>();
		beforeOwning(() -> holder.set(holder(mode)));
		assertThat(this.store.acquire(contender(LockMode.EXCLUSIVE), LEASE, false).granted()).isFalse();
		assertThat(this.other.isHeld(holder.get())).isTrue();
	}

	@Test
	void waiterThatComesBehindTheLookKeepsItsPlace() {
		LeaseContender holder = holder(LockMode.EXCLUSIVE);
		LeaseContender waiter = waiter(this.store, LockMode.EXCLUSIVE);
		this.other.release(holder);
		AtomicReference<LeaseContender> last = new AtomicReference<>();
		beforeOwning(() -> last.set(waiter(this.other, LockMode.SHARED)));
		assertThat(this.store.acquireInTurn(waiter, LEASE).granted()).isTrue();
		assertThat(queued()).isOne();
		this.store.release(waiter);
		assertThat(this.other.acquireInTurn(last.get(), LEASE).granted()).isTrue();
	}

}
