package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks whose names the database does not know yet, on one of the databases.
 */
abstract class NewRowsContract {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final int THREADS = 8;

	private final LockDatabase database;

	private final JdbcInstances instances;

	private final JdbcClient client;

	private final WatchedDataSource watched;

	private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

	private JdbcLeaseStore store;

	NewRowsContract(LockDatabase database, String url) {
		this.database = database;
		this.instances = new JdbcInstances(database, url, LEASE, THREADS);
		this.client = JdbcClient.create(this.instances.pool());
		this.watched = new WatchedDataSource(this.instances.pool());
	}

	@BeforeEach
	void createStore() {
		this.instances.createTables();
		this.store = this.instances.store(this.watched);
		this.store.check();
		this.watched.forget();
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.store.close();
		this.client.sql("DELETE FROM interlock_contender").update();
		this.client.sql("DELETE FROM interlock_lock").update();
		this.instances.close();
	}

	private static LeaseContender contender(LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", "7"), mode, 3, false);
	}

	private LeaseAnswer acquire(LeaseContender contender, boolean waits) {
		return this.store.acquire(contender, LEASE, waits);
	}

	/** The token is read behind an insertion that cannot return it. */
	@Test
	void exclusiveLockTakesOneStatementThatMakesItsRow() {
		for (boolean waits : new boolean[] { true, false }) {
			LeaseContender holder = contender(LockMode.EXCLUSIVE);
			assertThat(acquire(holder, waits).granted()).isTrue();
			List<String> sent = this.watched.statements.stream().map((sql) -> sql.substring(0, 22)).toList();
			assertThat(sent).startsWith("UPDATE interlock_lock ", "SELECT l.owner, l.owne", "INSERT INTO interlock_")
				.hasSize(this.database.returning() ? 3 : 4);
			assertThat(this.watched.transactions).isEmpty();
			removeRow();
		}
	}

	/** PostgreSQL makes both rows by one statement. */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EXCLUSIVE")
	void sharedLockTakesFewRequests(LockMode mode) {
		boolean atOnce = this.database == LockDatabase.POSTGRESQL;
		assertThat(acquire(contender(mode), false).granted()).isTrue();
		assertThat(requests()).isEqualTo(atOnce ? 2 : 7);
		removeRow();
		assertThat(acquire(contender(mode), true).granted()).isTrue();
		assertThat(requests()).isEqualTo(atOnce ? 4 : 9);
	}

	private long requests() {
		return this.watched.statements.size()
				+ this.watched.transactions.stream().filter((call) -> !call.equals("setAutoCommit")).count();
	}

	private void removeRow() {
		this.client.sql("DELETE FROM interlock_contender").update();
		this.client.sql("DELETE FROM interlock_lock").update();
		this.watched.forget();
	}

	@ParameterizedTest
	@EnumSource
	void holderWithTheFirstRowExcludesOthersUntilItsReleaseAndIsSucceeded(LockMode mode) {
		LeaseContender first = contender(mode);
		LeaseContender second = contender(LockMode.EXCLUSIVE);
		LeaseAnswer granted = acquire(first, false);
		assertThat(granted.granted()).isTrue();
		assertThat(acquire(first, false)).isEqualTo(granted);
		assertThat(this.store.isHeld(first)).isTrue();
		assertThat(acquire(second, false)).isEqualTo(LeaseAnswer.heldBy(granted.token()));
		assertThat(acquire(second, true)).isEqualTo(LeaseAnswer.heldBy(granted.token()));
		assertThat(this.store.renew(List.of(first, second), LEASE).renewed()).containsExactlyInAnyOrder(first, second);
		assertThat(this.store.release(first)).isTrue();
		assertThat(acquire(contender(mode), false).granted()).isFalse();
		LeaseAnswer next = this.store.acquireInTurn(second, LEASE);
		assertThat(next.granted()).isTrue();
		assertThat(next.token()).isGreaterThan(granted.token());
		assertThat(this.store.release(second)).isTrue();
	}

	@Test
	void ofManyThatComeTogetherOneHoldsTheLockAndTheOthersWait() {
		for (int round = 0; round < 20; round++) {
			List<LeaseContender> contenders = IntStream.range(0, THREADS)
				.mapToObj((number) -> contender(LockMode.EXCLUSIVE))
				.toList();
			List<CompletableFuture<LeaseAnswer>> answers = contenders.stream()
				.map((contender) -> CompletableFuture.supplyAsync(() -> acquireWhenUnlocked(contender), this.threads))
				.toList();
			List<LeaseAnswer> granted = answers.stream()
				.map(CompletableFuture::join)
				.filter(LeaseAnswer::granted)
				.toList();
			assertThat(granted).hasSize(1);
			assertThat(this.client.sql("SELECT COUNT(*) FROM interlock_contender").query(Integer.class).single())
				.isEqualTo(THREADS - 1);
			removeRow();
		}
	}

	/** Ask as often as an attempt does that finds the row locked. */
	private LeaseAnswer acquireWhenUnlocked(LeaseContender contender) {
		while (true) {
			try {
				return acquire(contender, true);
			}
			catch (LeaseStoreException ex) {
				if (!ex.isUndone()) {
					throw ex;
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void contendersWhoseLockHasLostItsRowAreNotPassed(LockMode mode) {
		LeaseContender holder = contender(LockMode.SHARED);
		LeaseContender waiter = contender(LockMode.EXCLUSIVE);
		assertThat(acquire(holder, false).granted()).isTrue();
		assertThat(acquire(waiter, true).granted()).isFalse();
		this.client.sql("DELETE FROM interlock_lock").update();
		LeaseContender next = contender(mode);
		assertThat(acquire(next, true).granted()).isFalse();
		assertThat(this.store.release(holder)).isTrue();
		assertThat(this.store.acquireInTurn(next, LEASE).granted()).isFalse();
		assertThat(this.store.acquireInTurn(waiter, LEASE).granted()).isTrue();
	}

}
