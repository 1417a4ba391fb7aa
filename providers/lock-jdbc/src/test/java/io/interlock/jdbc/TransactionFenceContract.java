package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.ReleasePolicy;
import io.interlock.fencing.StaleLockException;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockContext;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.TransactionFence;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.Ordered;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TransactionFence} on a database. The locks are in memory, where a test
 * can have them lost.
 */
abstract class TransactionFenceContract {

	static final LockRequest STOCK = LockRequest.exclusive("stock");

	private static final LockRequest PRICES = LockRequest.exclusive("prices");

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final List<LockId> refused = new ArrayList<>();

	final LockTemplate locks = new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(),
			List.of(new LockListener() {
				@Override
				public void onFencedTransaction(LockHandle handle, boolean passed) {
					if (!passed) {
						TransactionFenceContract.this.refused.add(handle.id());
					}
				}
			}));

	private HikariDataSource pool;

	WatchedDataSource watched;

	TransactionTemplate transaction;

	private TransactionTemplate another;

	private JdbcClient jdbc;

	/** Return a pool for a database that has the table of the fence. */
	abstract HikariDataSource pool();

	@BeforeEach
	void start() {
		this.pool = pool();
		this.jdbc = JdbcClient.create(this.pool);
		this.jdbc.sql("DROP TABLE IF EXISTS interlock_fence").update();
		this.jdbc.sql(
				"CREATE TABLE interlock_fence (lock_id VARCHAR(64) NOT NULL PRIMARY KEY, token BIGINT NOT NULL, used_at BIGINT NOT NULL)")
			.update();
		this.jdbc.sql("DROP TABLE IF EXISTS counter").update();
		this.jdbc.sql("CREATE TABLE counter (amount INTEGER NOT NULL)").update();
		this.jdbc.sql("INSERT INTO counter VALUES (0)").update();
		this.watched = new WatchedDataSource(this.pool);
		this.transaction = transaction(Duration.ofSeconds(30));
		this.another = new TransactionTemplate(this.transaction.getTransactionManager());
		this.another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	TransactionTemplate transaction(Duration patience) {
		return transaction(this.watched, patience);
	}

	static TransactionTemplate transaction(DataSource dataSource, Duration patience) {
		JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
		manager.addListener(new TransactionFence(manager, dataSource,
				new FenceSettings((id) -> !id.name().equals("free"), "test", patience)));
		return new TransactionTemplate(manager);
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(LockContext.held()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
		this.pool.close();
	}

	private void increment() {
		JdbcClient inTransaction = JdbcClient.create(this.watched);
		int amount = inTransaction.sql("SELECT amount FROM counter").query(Integer.class).single();
		inTransaction.sql("UPDATE counter SET amount = ?").param(amount + 1).update();
	}

	int amount() {
		return this.jdbc.sql("SELECT amount FROM counter").query(Integer.class).single();
	}

	private long tokenInTable() {
		return this.jdbc.sql("SELECT token FROM interlock_fence").query(Long.class).single();
	}

	int rows() {
		return this.jdbc.sql("SELECT COUNT(*) FROM interlock_fence").query(Integer.class).single();
	}

	private void lose(LockRequest request) {
		this.provider.changeState(request.id(), LockState.LOST);
	}

	private static void onAnotherThread(Runnable action) {
		CompletableFuture.runAsync(action, (task) -> new Thread(task, "later").start()).join();
	}

	void laterHolderIncrements(LockRequest request) {
		onAnotherThread(() -> this.locks.execute(request, (lock) -> {
			increments(this.transaction);
			return null;
		}));
	}

	@Test
	void firstStatementSetsTheRowToTheToken() {
		this.locks.execute(STOCK, (lock) -> {
			this.watched.forget();
			this.transaction.executeWithoutResult((status) -> increment());
			assertThat(tokenInTable()).isEqualTo(lock.fencingToken());
			assertThat(this.watched.statements.peek()).contains("interlock_fence");
			return null;
		});
		assertThat(amount()).isOne();
		laterHolderIncrements(STOCK);
		assertThat(amount()).isEqualTo(2);
		assertThat(rows()).isOne();
	}

	@Test
	void staleHolderIsRefusedBeforeItsBodyHasRead() {
		AtomicBoolean ran = new AtomicBoolean();
		try (LockHandle lock = this.locks.acquire(STOCK)) {
			lose(STOCK);
			laterHolderIncrements(STOCK);
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> ran.set(true)))
				.withMessageContaining("lock stock")
				.withMessageContaining("token " + lock.fencingToken())
				.withMessageContaining("token " + tokenInTable())
				.withMessageContaining("DELETE FROM interlock_fence WHERE lock_id = '")
				.satisfies((ex) -> assertThat(ex.fencingToken()).isEqualTo(lock.fencingToken()));
		}
		assertThat(ran).isFalse();
		assertThat(amount()).isOne();
		assertThat(this.refused).containsExactly(STOCK.id());
	}

	@Test
	void staleTransactionOfItsOwnLeavesTheOuterOneAsItWas() {
		this.transaction.executeWithoutResult((status) -> {
			increment();
			try (LockHandle lock = this.locks.acquire(STOCK.withRelease(ReleasePolicy.AFTER_METHOD))) {
				assertThat(lock.isValid()).isTrue();
				lose(STOCK);
				onAnotherThread(() -> this.locks.execute(STOCK, (later) -> this.transaction.execute((inner) -> null)));
				assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> this.another.executeWithoutResult((inner) -> {
					}));
			}
			assertThat(status.isRollbackOnly()).isFalse();
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
		});
		assertThat(amount()).isOne();
	}

	@Test
	void staleTransactionOfAnotherManagerLeavesTheOuterOneAsItWas() {
		TransactionTemplate outer = new TransactionTemplate(new JdbcTransactionManager(this.pool));
		try (LockHandle lock = this.locks.acquire(STOCK.withRelease(ReleasePolicy.AFTER_METHOD))) {
			assertThat(lock.isValid()).isTrue();
			lose(STOCK);
			laterHolderIncrements(STOCK);
			outer.executeWithoutResult((status) -> {
				assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> this.transaction.executeWithoutResult((inner) -> {
					}));
				assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isTrue();
			});
		}
	}

	@Test
	void transactionWaitsForAnOpenOneOfAnEarlierHolder() throws Exception {
		whileAnEarlierOneIsOpen(true, this::increments);
		assertThat(amount()).isEqualTo(2);
	}

	/** Its lock is free, and that is all that it does not wait for. */
	@Test
	void transactionUnderALockThatWasTriedWaitsToo() throws Exception {
		whileAnEarlierOneIsOpen(true, STOCK.withWaitTime(Duration.ZERO), this::increments);
		assertThat(amount()).isEqualTo(2);
	}

	/**
	 * Begin a transaction while that of an earlier holder, which increments, is open, and
	 * end this one when the later one waits.
	 */
	void whileAnEarlierOneIsOpen(boolean commits, Consumer<TransactionTemplate> later) throws Exception {
		whileAnEarlierOneIsOpen(commits, STOCK, later);
	}

	private void whileAnEarlierOneIsOpen(boolean commits, LockRequest request, Consumer<TransactionTemplate> later)
			throws Exception {
		CountDownLatch passed = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		TransactionTemplate straight = new TransactionTemplate(this.transaction.getTransactionManager());
		CompletableFuture<Void> earlier = CompletableFuture.runAsync(() -> {
			try (LockHandle lock = this.locks.acquire(STOCK)) {
				straight.executeWithoutResult((status) -> {
					passed.countDown();
					await(end);
					increment();
					if (!commits) {
						status.setRollbackOnly();
					}
				});
				assertThat(lock.isLost()).isTrue();
			}
		}, (task) -> new Thread(task, "earlier").start());
		await(passed);
		lose(STOCK);
		CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> this.locks.execute(request, (lock) -> {
			later.accept(this.transaction);
			return null;
		}), (task) -> new Thread(task, "later").start());
		awaitWaiting();
		assertThat(waiting).isNotDone();
		end.countDown();
		earlier.get(30, TimeUnit.SECONDS);
		waiting.get(30, TimeUnit.SECONDS);
	}

	/** Increment in a transaction. */
	void increments(TransactionTemplate transaction) {
		transaction.executeWithoutResult((status) -> increment());
	}

	/** Wait until a second connection has sent the statement of the fence. */
	private void awaitWaiting() {
		Awaitility.await()
			.until(() -> this.watched.connections.get() == 2
					&& this.watched.statements.stream().filter((sql) -> sql.contains("interlock_fence")).count() >= 2);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void transactionOfAnEarlierHolderThatStaysOpenIsContention() {
		TransactionTemplate impatient = transaction(Duration.ofSeconds(1));
		AtomicBoolean ran = new AtomicBoolean();
		try (LockHandle lock = this.locks.acquire(STOCK)) {
			this.transaction.executeWithoutResult((status) -> {
				lose(STOCK);
				onAnotherThread(() -> this.locks.execute(STOCK, (later) -> {
					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> impatient.executeWithoutResult((inner) -> ran.set(true)))
						.withMessageContaining("an earlier holder of lock stock");
					return null;
				}));
			});
			assertThat(lock.isLost()).isTrue();
		}
		assertThat(ran).isFalse();
		assertThat(this.refused).containsExactly(STOCK.id());
	}

	@Test
	void timeThatTheDatabaseWaitsIsContentionToo() {
		try (HikariDataSource hurried = pool()) {
			hurried.setJdbcUrl(this.pool.getJdbcUrl());
			hurried.setConnectionInitSql(shortLockTimeout());
			TransactionTemplate impatient = transaction(hurried, Duration.ofSeconds(30));
			try (LockHandle lock = this.locks.acquire(STOCK)) {
				this.transaction.executeWithoutResult((status) -> {
					lose(STOCK);
					onAnotherThread(() -> this.locks.execute(STOCK, (later) -> {
						assertThatExceptionOfType(LockNotAcquiredException.class)
							.isThrownBy(() -> increments(impatient))
							.withMessageContaining("an earlier holder of lock stock");
						return null;
					}));
				});
				assertThat(lock.isLost()).isTrue();
			}
		}
		assertThat(this.refused).containsExactly(STOCK.id());
	}

	/**
	 * Return the statement that has a connection wait for a row no longer than a second.
	 */
	abstract String shortLockTimeout();

	@Test
	void lockInsideOfATransactionIsFencedThere() {
		this.transaction.executeWithoutResult((status) -> {
			try (LockHandle lock = this.locks.acquire(STOCK)) {
				assertThat(lock.isValid()).isTrue();
				increment();
			}
			assertThat(rows()).isZero();
		});
		assertThat(rows()).isOne();
	}

	@Test
	void staleLockInsideOfATransactionRollsItBackThoughItIsCaught() {
		onAnotherThread(() -> this.locks.execute(STOCK, (later) -> this.transaction.execute((inner) -> null)));
		this.jdbc.sql("UPDATE interlock_fence SET token = token + 1000000000").update();
		assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				increment();
				assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> this.locks.acquire(STOCK));
				assertThat(status.isRollbackOnly()).isTrue();
			}));
		assertThat(amount()).isZero();
	}

	/** A rollback to a savepoint takes back the mark of the rollback. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void staleLockBehindASavepointIsToldByTheCommit(boolean nested) {
		this.locks.execute(STOCK, (later) -> this.transaction.execute((inner) -> null));
		this.jdbc.sql("UPDATE interlock_fence SET token = token + 1000000000").update();
		TransactionTemplate savepoint = new TransactionTemplate(this.transaction.getTransactionManager());
		savepoint.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		assertThatException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			increment();
			if (nested) {
				assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> savepoint.executeWithoutResult((inner) -> this.locks.acquire(STOCK)));
			}
			else {
				Object mine = status.createSavepoint();
				assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> this.locks.acquire(STOCK));
				status.rollbackToSavepoint(mine);
			}
		})).isInstanceOf(nested ? UnexpectedRollbackException.class : StaleLockException.class);
		assertThat(amount()).isZero();
	}

	@Test
	void transactionThatIsRefusedRunsNoBodyUnderItsLocks() {
		this.locks.execute(STOCK, (lock) -> this.transaction.execute((status) -> null));
		this.jdbc.sql("UPDATE interlock_fence SET token = token + 1000000000").update();
		AtomicBoolean ran = new AtomicBoolean();
		Consumer<TransactionStatus> body = (status) -> {
			increment();
			assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> this.locks.acquire(STOCK))
				.withMessageContaining("The transaction will be rolled back: lock stock");
			this.watched.forget();
			LockRequest another = STOCK.withRelease(ReleasePolicy.AFTER_METHOD);
			for (List<LockRequest> requests : List.of(List.of(STOCK), List.of(another), List.of(PRICES),
					List.of(PRICES, STOCK))) {
				assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> this.locks.executeAll(requests, (locks) -> run(ran)));
				assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> this.locks.tryExecute(requests.get(0), (locks) -> run(ran)));
			}
			assertThat(this.watched.statements).isEmpty();
		};
		assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult(body));
		assertThat(ran).isFalse();
		assertThat(amount()).isZero();
		assertThat(this.refused).containsExactly(STOCK.id());
	}

	private static boolean run(AtomicBoolean ran) {
		ran.set(true);
		return true;
	}

	@Test
	void transactionWithinAnotherOneIsBehindItsFence() {
		this.locks.execute(STOCK, (lock) -> this.transaction.execute((status) -> {
			this.another.executeWithoutResult((inner) -> increment());
			assertThat(amount()).isOne();
			return null;
		}));
		assertThat(amount()).isOne();
	}

	/** The next holder does not wait for the batch. */
	@Test
	void outerTransactionDoesNotFenceALockThatItDoesNotKeep() {
		this.transaction.executeWithoutResult((status) -> {
			this.locks.execute(STOCK.withRelease(ReleasePolicy.AFTER_METHOD), (lock) -> {
				this.another.executeWithoutResult((inner) -> increment());
				return null;
			});
			laterHolderIncrements(STOCK);
		});
		assertThat(amount()).isEqualTo(2);
	}

	@Test
	void lockThatEndsWithItsMethodIsNotKeptByTheRowOfAnother() {
		this.transaction.executeWithoutResult((status) -> {
			this.locks.execute(STOCK.withRelease(ReleasePolicy.AFTER_METHOD),
					(lock) -> this.locks.execute(PRICES, (kept) -> null));
			laterHolderIncrements(STOCK);
		});
		assertThat(amount()).isOne();
	}

	/** Its outer transaction has lost its rows with its connection. */
	@Test
	void transactionWithinAnotherOneDoesNotBeginWithoutItsLock() {
		AtomicBoolean ran = new AtomicBoolean();
		try (LockHandle lock = this.locks.acquire(STOCK)) {
			this.transaction.executeWithoutResult((status) -> {
				lose(STOCK);
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> this.another.executeWithoutResult((inner) -> ran.set(true)));
			});
			assertThat(lock.isLost()).isTrue();
		}
		assertThat(ran).isFalse();
	}

	/** The transaction within it was committed, and has left no mark. */
	@Test
	void holderThatIsLateForATransactionThatWasRolledBackDoesNotBegin() {
		AtomicBoolean ran = new AtomicBoolean();
		try (LockHandle lock = this.locks.acquire(STOCK)) {
			lose(STOCK);
			onAnotherThread(() -> this.locks.execute(STOCK, (later) -> this.transaction.execute((status) -> {
				this.another.executeWithoutResult((inner) -> increment());
				status.setRollbackOnly();
				return null;
			})));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> ran.set(true)));
			assertThat(lock.isLost()).isTrue();
		}
		assertThat(ran).isFalse();
		assertThat(amount()).isOne();
	}

	@Test
	void transactionOnAnotherConnectionIsRefused() {
		JdbcTransactionManager manager = new JdbcTransactionManager(this.pool);
		manager.addListener(new TransactionFence(manager, this.watched,
				new FenceSettings((id) -> true, "test", Duration.ofSeconds(1))));
		TransactionTemplate elsewhere = new TransactionTemplate(manager);
		this.locks.execute(STOCK, (lock) -> {
			assertThatIllegalStateException().isThrownBy(() -> elsewhere.execute((status) -> null))
				.withMessageContaining("JpaDialect");
			return null;
		});
	}

	@Test
	void savepointThatIsRolledBackDoesNotTakeTheFenceAlong() {
		TransactionTemplate nested = new TransactionTemplate(this.transaction.getTransactionManager());
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		this.transaction.executeWithoutResult((status) -> {
			nested.executeWithoutResult((inner) -> {
				try (LockHandle lock = this.locks.acquire(STOCK)) {
					assertThat(lock.isValid()).isTrue();
				}
				inner.setRollbackOnly();
			});
			increment();
		});
		assertThat(rows()).isOne();
		assertThat(amount()).isOne();
	}

	/** Nothing passes the row again right behind a savepoint of the body's own. */
	@Test
	void transactionThatGoesOnWithoutItsFenceDoesNotCommit() {
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			LockHandle lock = this.locks.acquire(STOCK);
			status.rollbackToSavepoint(savepoint);
			increment();
			lock.close();
		})).withMessageContaining("lock stock").withMessageContaining("savepoint");
		assertThat(amount()).isZero();
		assertThat(rows()).isZero();
	}

	@Test
	void savepointBehindTheFenceIsFree() {
		this.locks.execute(STOCK, (lock) -> this.transaction.execute((status) -> {
			Object savepoint = status.createSavepoint();
			increment();
			status.rollbackToSavepoint(savepoint);
			increment();
			return null;
		}));
		assertThat(amount()).isOne();
	}

	/** The rows of the outer one are free there, whatever is called first. */
	@ParameterizedTest
	@ValueSource(strings = { "afterCommit", "afterCompletion", "afterRollback" })
	void transactionBehindTheEndOfAnotherOneHasAFenceOfItsOwn(String end) {
		TransactionTemplate impatient = transaction(Duration.ofSeconds(1));
		AtomicBoolean waited = new AtomicBoolean();
		Runnable behind = () -> this.another.executeWithoutResult((inner) -> {
			lose(STOCK);
			onAnotherThread(() -> this.locks.execute(STOCK, (later) -> {
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> increments(impatient));
				waited.set(true);
				return null;
			}));
			increment();
		});
		try (LockHandle lock = this.locks.acquire(STOCK)) {
			this.transaction.executeWithoutResult((status) -> {
				if (end.equals("afterRollback")) {
					status.setRollbackOnly();
				}
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public int getOrder() {
						return Ordered.HIGHEST_PRECEDENCE;
					}

					@Override
					public void afterCommit() {
						if (end.equals("afterCommit")) {
							behind.run();
						}
					}

					@Override
					public void afterCompletion(int status) {
						if (!end.equals("afterCommit")) {
							behind.run();
						}
					}
				});
			});
			assertThat(lock.isLost()).isTrue();
		}
		assertThat(waited).isTrue();
		assertThat(amount()).isOne();
	}

	/** Nobody tells Spring of such a savepoint. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void transactionThatLosesItsFenceWithAStatementDoesNotCommit(boolean usedBefore) {
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			try (LockHandle around = this.locks.acquire(STOCK.withRelease(ReleasePolicy.AFTER_METHOD))) {
				if (usedBefore) {
					this.another.executeWithoutResult((inner) -> assertThat(around.isValid()).isTrue());
				}
				execute("SAVEPOINT mine");
				try (LockHandle lock = this.locks.acquire(STOCK)) {
					execute("ROLLBACK TO SAVEPOINT mine");
					assertThat(lock.fencingToken()).isEqualTo(around.fencingToken());
					increment();
				}
			}
		})).withMessageContaining("lock stock").withMessageContaining("savepoint");
		assertThat(amount()).isZero();
		assertThat(rows()).isEqualTo(usedBefore ? 1 : 0);
	}

	private void execute(String sql) {
		JdbcClient.create(this.watched).sql(sql).update();
	}

	@Test
	void transactionThatGoesBackToAStatementBehindItsFenceCommits() {
		this.transaction.executeWithoutResult((status) -> {
			try (LockHandle lock = this.locks.acquire(STOCK)) {
				execute("SAVEPOINT mine");
				increment();
				execute("ROLLBACK TO SAVEPOINT mine");
				assertThat(lock.isValid()).isTrue();
				increment();
			}
		});
		assertThat(amount()).isOne();
	}

	@Test
	void rowsOfOtherLocksAreNotWaitedFor() {
		LockRequest other = LockRequest.exclusive("other");
		this.locks.executeAll(List.of(STOCK, PRICES, other), (locks) -> this.transaction.execute((status) -> null));
		TransactionTemplate impatient = transaction(Duration.ofSeconds(1));
		this.locks.execute(other, (lock) -> this.transaction.execute((status) -> {
			onAnotherThread(() -> this.locks.executeAll(List.of(STOCK, PRICES), (locks) -> {
				increments(impatient);
				return null;
			}));
			return null;
		}));
		assertThat(amount()).isOne();
	}

	@Test
	void outerTransactionOfAnotherDataSourceIsTold() {
		WatchedDataSource second = new WatchedDataSource(this.pool);
		TransactionTemplate inner = transaction(second, Duration.ofSeconds(1));
		this.locks.execute(STOCK, (lock) -> this.transaction.execute((status) -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> increments(inner))
				.withMessageContaining("an outer transaction of this thread")
				.withMessageContaining("another DataSource");
			return null;
		}));
		assertThat(amount()).isZero();
	}

	@Test
	void rowsThatAreNotUsedForThirtyDaysAreDeletedInPieces() {
		long now = System.currentTimeMillis();
		this.transaction.executeWithoutResult((status) -> {
			for (int i = 0; i < 1100; i++) {
				JdbcClient.create(this.watched)
					.sql("INSERT INTO interlock_fence VALUES (?, 1, ?)")
					.params("row-" + i, now - Duration.ofDays(31).toMillis())
					.update();
			}
			JdbcClient.create(this.watched)
				.sql("INSERT INTO interlock_fence VALUES ('young', 1, ?)")
				.param(now - Duration.ofDays(29).toMillis())
				.update();
		});
		JdbcTransactionManager manager = new JdbcTransactionManager(this.pool);
		TransactionFence fence = new TransactionFence(manager, this.pool,
				new FenceSettings((id) -> true, "test", Duration.ofSeconds(30)));
		fence.cleanDaily();
		fence.cleanDaily();
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> rows() == 1);
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	/** Its transaction may be the first one for long. */
	@Test
	void rowThatIsInUseIsNotDeleted() {
		this.locks.execute(STOCK, (lock) -> this.transaction.execute((status) -> null));
		this.jdbc.sql("UPDATE interlock_fence SET used_at = 0").update();
		TransactionFence fence = new TransactionFence((JdbcTransactionManager) this.transaction.getTransactionManager(),
				this.watched, new FenceSettings((id) -> true, "test", Duration.ofSeconds(30)));
		this.locks.execute(STOCK, (lock) -> this.transaction.execute((status) -> {
			this.watched.forget();
			fence.cleanDaily();
			Awaitility.await()
				.until(() -> this.watched.statements.stream().anyMatch((sql) -> sql.startsWith("DELETE")));
			return null;
		}));
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
		assertThat(rows()).isOne();
	}

	@Test
	void tableIsCreatedByAPoolThatDoesNotCommitByItself() {
		this.jdbc.sql("DROP TABLE interlock_fence").update();
		try (HikariDataSource manual = pool()) {
			manual.setAutoCommit(false);
			manual.setJdbcUrl(this.pool.getJdbcUrl());
			TransactionFence fence = new TransactionFence(new JdbcTransactionManager(manual), manual,
					new FenceSettings((id) -> true, "test", Duration.ofSeconds(30)));
			fence.createTable();
			fence.check();
		}
		assertThat(rows()).isZero();
	}

	@Test
	void fenceCostsItsStatements() {
		TransactionTemplate unfenced = new TransactionTemplate(new JdbcTransactionManager(this.watched));
		this.locks.execute(STOCK, (lock) -> {
			increments(this.transaction);
			int without = requests(unfenced);
			assertThat(requests(this.transaction)).isEqualTo(without + statements());
			return null;
		});
		assertThat(requests(this.transaction)).as("without a lock").isEqualTo(requests(unfenced));
	}

	private int requests(TransactionTemplate transaction) {
		this.watched.forget();
		increments(transaction);
		return this.watched.statements.size() + this.watched.transactions.size();
	}

	/** Return how many statements pass a row that is there. */
	abstract int statements();

	@Test
	void locksThatHaveNoOrderAreNotFenced() {
		this.watched.forget();
		this.locks.execute(LockRequest.shared("stock"), (lock) -> this.transaction.execute((status) -> null));
		this.locks.execute(LockRequest.semaphore("permits", 2), (lock) -> this.transaction.execute((status) -> null));
		this.locks.execute(LockRequest.exclusive("free"), (lock) -> this.transaction.execute((status) -> null));
		new LockTemplate(InMemoryLockProvider.excludingNothing()).execute(STOCK,
				(lock) -> this.transaction.execute((status) -> null));
		this.transaction.executeWithoutResult((status) -> {
		});
		assertThat(this.watched.statements).isEmpty();
	}

	@Test
	void readOnlyTransactionIsNotFenced() {
		this.transaction.setReadOnly(true);
		this.watched.forget();
		this.locks.execute(STOCK, (lock) -> this.transaction.execute((status) -> null));
		assertThat(this.watched.statements).noneMatch((sql) -> sql.contains("interlock_fence"));
	}

	/** Spring begins none that could be fenced. */
	@Test
	void transactionThatJoinsAReadOnlyOneIsNotFenced() {
		TransactionTemplate joining = new TransactionTemplate(this.transaction.getTransactionManager());
		this.transaction.setReadOnly(true);
		this.locks.execute(STOCK, (lock) -> {
			if (refusesToWriteInAReadOnlyTransaction()) {
				assertThatExceptionOfType(DataAccessException.class)
					.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> increments(joining)));
			}
			else {
				this.transaction.executeWithoutResult((status) -> increments(joining));
			}
			return null;
		});
		assertThat(amount()).isEqualTo(refusesToWriteInAReadOnlyTransaction() ? 0 : 1);
		assertThat(rows()).isZero();
	}

	/** The connection of the ended transaction would keep the row, and end nothing. */
	@Test
	void lockInACallbackBehindTheCommitIsFencedByItsOwnTransaction() {
		this.transaction.executeWithoutResult((status) -> {
			increment();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCommit() {
					TransactionFenceContract.this.locks.execute(STOCK, (lock) -> {
						increments(TransactionFenceContract.this.another);
						return null;
					});
				}
			});
		});
		assertThat(amount()).isEqualTo(2);
		assertThat(rows()).isOne();
		assertThat(this.refused).isEmpty();
		laterHolderIncrements(STOCK);
		assertThat(amount()).isEqualTo(3);
	}

	/** Nothing tells Spring of a statement that goes back to a savepoint. */
	@Test
	void innerTransactionPassesTheRowThatItsOuterOneHasLostWithASavepoint() throws Exception {
		assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			execute("SAVEPOINT mine");
			try (LockHandle lock = this.locks.acquire(STOCK)) {
				execute("ROLLBACK TO SAVEPOINT mine");
				increments(this.another);
				assertThat(tokenInTable()).isEqualTo(lock.fencingToken());
			}
		})).withMessageContaining("without its fence for lock stock");
		assertThat(amount()).isOne();
	}

	@Test
	void readOnlyConnectionsAreLeftAlone() {
		assertThat(readAmountUnderLock(checked(new ReadOnlyDataSource(this.pool)))).isZero();
		assertThat(rows()).isZero();
	}

	/** As of a router that leads to the primary unless a transaction only reads. */
	@Test
	void readOnlyConnectionBehindACheckThatMayWriteIsLeftAlone() {
		DelegatingDataSource routing = new DelegatingDataSource(this.pool);
		TransactionTemplate routed = transaction(routing, Duration.ofSeconds(30));
		routing.setTargetDataSource(new ReadOnlyDataSource(this.pool));
		assertThat(readAmountUnderLock(routed)).isZero();
		assertThat(rows()).isZero();
		routing.setTargetDataSource(this.pool);
		assertThat(readAmountUnderLock(routed)).isZero();
		assertThat(rows()).isOne();
	}

	/** A data source may choose its connections by what a transaction needs. */
	@Test
	void connectionThatMayWriteIsFencedBehindAReadOnlyCheck() {
		DelegatingDataSource routing = new DelegatingDataSource(new ReadOnlyDataSource(this.pool));
		TransactionTemplate checked = checked(routing);
		routing.setTargetDataSource(this.pool);
		assertThat(readAmountUnderLock(checked)).isZero();
		assertThat(rows()).isOne();
	}

	private static TransactionTemplate checked(DataSource dataSource) {
		JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
		TransactionFence fence = new TransactionFence(manager, dataSource,
				new FenceSettings((id) -> true, "test", Duration.ofSeconds(30)));
		manager.addListener(fence);
		assertThat(fence.check()).isFalse();
		return new TransactionTemplate(manager);
	}

	private @Nullable Integer readAmountUnderLock(TransactionTemplate transaction) {
		return this.locks.execute(STOCK, (lock) -> transaction.execute((status) -> amount()));
	}

	/** Return whether read-only is more than a hint. */
	abstract boolean refusesToWriteInAReadOnlyTransaction();

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksThatAreAskedForTogetherAreFencedTogether(boolean inside) {
		List<LockRequest> both = List.of(STOCK, PRICES);
		this.watched.forget();
		if (inside) {
			this.transaction.executeWithoutResult((status) -> this.locks.executeAll(both, (locks) -> null));
		}
		else {
			this.locks.executeAll(both, (locks) -> this.transaction.execute((status) -> null));
		}
		assertThat(rows()).isEqualTo(2);
		assertThat(this.watched.statements.stream().filter((sql) -> sql.startsWith("INSERT")).count())
			.isEqualTo(insertsOfTwoRows());
	}

	/** Return how many statements insert two rows. */
	abstract int insertsOfTwoRows();

	@Test
	void missingTableIsToldWithItsStatement() {
		this.jdbc.sql("DROP TABLE interlock_fence").update();
		this.locks.execute(STOCK, (lock) -> {
			assertThatIllegalStateException().isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			})).withMessageContaining("CREATE TABLE interlock_fence (lock_id VARCHAR(64) NOT NULL PRIMARY KEY");
			return null;
		});
		this.transaction.executeWithoutResult((status) -> increment());
		assertThat(amount()).isOne();
	}

	/** With another key, two rows of one lock would have two tokens. */
	@ParameterizedTest
	@ValueSource(strings = { "", ", PRIMARY KEY (lock_id, token)" })
	void tableWithoutItsKeyIsToldWithTheStatementThatAddsIt(String key) {
		createTable(key);
		assertThatIllegalStateException().isThrownBy(fence()::check)
			.withMessageContaining("interlock_fence has no primary key on lock_id alone")
			.withMessageContaining("ALTER TABLE interlock_fence ADD PRIMARY KEY (lock_id)");
		createTable("");
		this.jdbc.sql("ALTER TABLE interlock_fence ADD PRIMARY KEY (lock_id)").update();
		fence().check();
		assertThat(rows()).isZero();
	}

	@Test
	void tableWhoseRowsAreUniqueByAnotherConstraintIsFine() {
		createTable(", UNIQUE (lock_id)");
		fence().check();
		assertThat(rows()).isZero();
	}

	private void createTable(String key) {
		this.jdbc.sql("DROP TABLE interlock_fence").update();
		this.jdbc.sql(
				"CREATE TABLE interlock_fence (lock_id VARCHAR(64) NOT NULL, token BIGINT NOT NULL, used_at BIGINT NOT NULL%s)"
					.formatted(key))
			.update();
	}

	private TransactionFence fence() {
		return new TransactionFence(new JdbcTransactionManager(this.pool), this.pool,
				new FenceSettings((id) -> true, "test", Duration.ofSeconds(30)));
	}

	@Test
	void managerWithoutSynchronizationsIsRefused() {
		JdbcTransactionManager manager = new JdbcTransactionManager(this.pool);
		manager.setTransactionSynchronization(JdbcTransactionManager.SYNCHRONIZATION_NEVER);
		FenceSettings settings = new FenceSettings((id) -> true, "test", Duration.ofSeconds(1));
		assertThatIllegalArgumentException().isThrownBy(() -> new TransactionFence(manager, this.pool, settings))
			.withMessageContaining("transactionSynchronization");
	}

	@Test
	void timeOfTheTransactionBoundsTheWait() {
		this.transaction.setTimeout(1);
		TransactionTemplate patient = transaction(Duration.ofSeconds(30));
		try (LockHandle lock = this.locks.acquire(STOCK)) {
			patient.executeWithoutResult((status) -> {
				lose(STOCK);
				onAnotherThread(() -> this.locks.execute(STOCK, (later) -> {
					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> this.transaction.executeWithoutResult((inner) -> {
						}));
					return null;
				}));
			});
			assertThat(lock.isLost()).isTrue();
		}
	}

	/** As of a replica. */
	private static final class ReadOnlyDataSource extends DelegatingDataSource {

		ReadOnlyDataSource(DataSource pool) {
			super(pool);
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			connection.setReadOnly(true);
			return connection;
		}

	}

}
