package io.interlock.integration;

import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.integration.transaction.PseudoTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link InterlockLockRegistry}: what the documentation and the other
 * registries of Spring Integration promise.
 */
@Timeout(30)
class InterlockLockRegistryTests {

	private static final String KEY = "orders";

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	private final InterlockLockRegistry registry = new InterlockLockRegistry(this.template);

	private final InterlockLockRegistry otherInstance = new InterlockLockRegistry(new LockTemplate(this.provider));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Thread.interrupted()).isFalse();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	void locksUntilItIsUnlocked() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		assertThat(isFree(this.registry, KEY)).isFalse();
		assertThat(isFree(this.otherInstance, KEY)).isFalse();
		assertThat(isFree(this.otherInstance, "invoices")).isTrue();
		lock.unlock();
		assertThat(isFree(this.registry, KEY)).isTrue();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
	}

	@Test
	void isTheLockOfThatNameAndKey() {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		assertThat(this.heldLocks.held()).singleElement()
			.satisfies((held) -> assertThat(held.id()).hasToString("spring-integration[orders]"));
		lock.unlock();
	}

	@Test
	void equalKeysGiveEqualLocks() {
		Lock lock = this.registry.obtain(KEY);
		assertThat(lock).isEqualTo(this.registry.obtain(KEY))
			.hasSameHashCodeAs(this.registry.obtain(KEY))
			.isNotEqualTo(this.registry.obtain("invoices"))
			.isNotEqualTo(this.otherInstance.obtain(KEY))
			.hasToString("Lock[EXCLUSIVE spring-integration[orders]]");
	}

	@Test
	void isUnlockedThroughAnObjectThatIsObtainedForIt() throws Exception {
		this.registry.obtain(KEY).lock();
		this.registry.obtain(KEY).unlock();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
	}

	@Test
	void isReentrant() throws Exception {
		Lock first = this.registry.obtain(KEY);
		Lock second = this.registry.obtain(KEY);
		first.lock();
		second.lockInterruptibly();
		assertThat(first.tryLock()).isTrue();
		assertThat(second.tryLock(1, TimeUnit.MILLISECONDS)).isTrue();
		for (int held = 3; held > 0; held--) {
			first.unlock();
			assertThat(isFree(this.otherInstance, KEY)).isFalse();
		}
		second.unlock();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
	}

	@Test
	void holdsTwoLocksAtOnce() throws Exception {
		Lock orders = this.registry.obtain(KEY);
		Lock invoices = this.registry.obtain("invoices");
		orders.lock();
		invoices.lock();
		orders.unlock();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
		assertThat(isFree(this.otherInstance, "invoices")).isFalse();
		invoices.unlock();
	}

	@Test
	void waitsForTheOtherInstance() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		Background<Boolean> waiter = Background.start(() -> {
			Lock other = this.otherInstance.obtain(KEY);
			other.lockInterruptibly();
			other.unlock();
			return true;
		});
		await().during(Duration.ofMillis(100)).until(waiter::isRunning);
		lock.unlock();
		assertThat(waiter.join()).isTrue();
	}

	@Test
	void triesForATime() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		LockHandle held = this.otherInstanceHolds();
		long startedAt = System.nanoTime();
		assertThat(lock.tryLock()).isFalse();
		assertThat(lock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
		Background<Boolean> waiter = Background.start(() -> {
			boolean locked = lock.tryLock(20, TimeUnit.SECONDS);
			lock.unlock();
			return locked;
		});
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		held.close();
		assertThat(waiter.join()).isTrue();
	}

	@Test
	void threadThatDoesNotOwnTheLockCannotUnlockIt() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> Background.run(lock::unlock))
			.withMessageContainingAll("background", "spring-integration[orders]");
		assertThat(isFree(this.otherInstance, KEY)).isFalse();
		lock.unlock();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	@Test
	void threadThatDidNotGetTheLockCannotUnlockIt() {
		Lock lock = this.registry.obtain(KEY);
		try (LockHandle held = this.otherInstanceHolds()) {
			assertThat(held.isValid()).isTrue();
			assertThat(lock.tryLock()).isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		}
	}

	@Test
	void interruptEndsAWaitThatCanBeInterrupted() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		try (LockHandle held = this.otherInstanceHolds()) {
			assertThat(held.isValid()).isTrue();
			assertInterrupted(lock::lockInterruptibly);
			assertInterrupted(() -> lock.tryLock(20, TimeUnit.SECONDS));
			assertInterrupted(() -> this.registry.executeLocked(KEY, () -> {
			}));
		}
	}

	private void assertInterrupted(InterruptibleWait wait) {
		Background<Boolean> waiter = Background.start(() -> {
			wait.run();
			return false;
		});
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		waiter.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::join)
			.withMessageContaining("spring-integration[orders]");
	}

	@Test
	void lockKeepsTheInterruptForLater() throws Exception {
		LockHandle held = this.otherInstanceHolds();
		Background<Boolean> waiter = Background.start(() -> {
			Lock lock = this.registry.obtain(KEY);
			lock.lock();
			boolean flag = Thread.currentThread().isInterrupted();
			lock.unlock();
			return flag;
		});
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		waiter.interrupt();
		await().pollDelay(Duration.ofMillis(50)).until(() -> this.heldLocks.waiting().size() == 1);
		held.close();
		assertThat(waiter.join()).as("flag").isTrue();
	}

	@Test
	void runsATaskUnderTheLock() throws Exception {
		assertThat(this.registry.<Boolean, Exception>executeLocked(KEY, () -> isFree(this.otherInstance, KEY)))
			.isFalse();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
	}

	@Test
	void taskIsNotRunIfTheLockIsHeldForTheTime() {
		try (LockHandle held = this.otherInstanceHolds()) {
			assertThat(held.isValid()).isTrue();
			assertThatExceptionOfType(TimeoutException.class)
				.isThrownBy(() -> this.registry.executeLocked(KEY, Duration.ofMillis(20), () -> {
					throw new AssertionError("ran without the lock");
				}));
		}
	}

	@ParameterizedTest
	@MethodSource("keysWithAStableText")
	void keyIsAnObjectWithAStableText(Object key, String text) {
		Lock lock = this.registry.obtain(key);
		lock.lock();
		assertThat(this.heldLocks.held()).singleElement()
			.satisfies((held) -> assertThat(held.id().key()).isEqualTo(text));
		lock.unlock();
	}

	private static Stream<Object[]> keysWithAStableText() {
		UUID uuid = UUID.randomUUID();
		return Stream.of(new Object[] { 42L, "42" }, new Object[] { uuid, uuid.toString() },
				new Object[] { LockMode.SHARED, "SHARED" }, new Object[] { new Order("eu", 7), "eu,7" },
				new Object[] { List.of("a", 1), "a,1" });
	}

	@Test
	void keyWithoutAStableTextIsRefusedWithWhatToDo() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(new Object()))
			.withMessageContainingAll("'spring-integration'", "java.lang.Object", "may be different in every JVM");
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(new byte[1]))
			.withMessageContaining("byte[]");
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(new File("in/a.csv")))
			.withMessageContaining("java.io.File");
	}

	@Test
	@SuppressWarnings("NullAway") // what a caller without null-safety may do
	void missingKeyIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(null))
			.withMessageContaining("'key' of lock 'spring-integration' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(" "))
			.withMessageContaining("'key' of lock 'spring-integration' must not be blank");
	}

	@Test
	void unlockReleasesInsideATransaction() throws Exception {
		TransactionTemplate transaction = new TransactionTemplate(new PseudoTransactionManager());
		Boolean free = transaction.execute((status) -> {
			Lock lock = this.registry.obtain(KEY);
			lock.lock();
			lock.unlock();
			return isFreeForOthers();
		});
		assertThat(free).isTrue();
	}

	@Test
	void lockIsKeptUntilTheCommitIfTheRequestSaysSo() throws Exception {
		InterlockLockRegistry keeping = new InterlockLockRegistry(this.template,
				LockRequest.exclusive(InterlockLockRegistry.DEFAULT_NAME).withRelease(ReleasePolicy.AFTER_TRANSACTION));
		TransactionTemplate transaction = new TransactionTemplate(new PseudoTransactionManager());
		Boolean free = transaction.execute((status) -> {
			Lock lock = keeping.obtain(KEY);
			lock.lock();
			lock.unlock();
			return isFreeForOthers();
		});
		assertThat(free).isFalse();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
	}

	@Test
	void waitTimeOfTheRequestLimitsLock() {
		Lock lock = new InterlockLockRegistry(this.template,
				LockRequest.exclusive(InterlockLockRegistry.DEFAULT_NAME).withWaitTime(Duration.ofMillis(20)))
			.obtain(KEY);
		try (LockHandle held = this.otherInstanceHolds()) {
			assertThat(held.isValid()).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(lock::lock);
		}
	}

	@Test
	void requestThatIsNotExclusiveOrHasAKeyIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new InterlockLockRegistry(this.template, LockRequest.shared("files")))
			.withMessageContaining("must be exclusive: SHARED files");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new InterlockLockRegistry(this.template, LockRequest.exclusive("files").withKey("a")))
			.withMessageContaining("must have no key");
	}

	@Test
	void expiryOfUnusedLocksLeavesHoldsAlone() throws Exception {
		Lock lock = this.registry.obtain(KEY);
		lock.lock();
		this.registry.expireUnusedOlderThan(0);
		assertThat(isFree(this.otherInstance, KEY)).isFalse();
		this.registry.obtain(KEY).unlock();
		assertThat(isFree(this.otherInstance, KEY)).isTrue();
	}

	@Test
	void hasNoConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.registry.obtain(KEY).newCondition());
	}

	private LockHandle otherInstanceHolds() {
		return new LockTemplate(this.provider)
			.acquire(LockRequest.exclusive(InterlockLockRegistry.DEFAULT_NAME).withKey(KEY));
	}

	private boolean isFreeForOthers() {
		try {
			return isFree(this.otherInstance, KEY);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean isFree(InterlockLockRegistry registry, Object key) throws Exception {
		return Background.call(() -> {
			Lock lock = registry.obtain(key);
			boolean locked = lock.tryLock();
			if (locked) {
				lock.unlock();
			}
			return locked;
		});
	}

	private interface InterruptibleWait {

		void run() throws InterruptedException;

	}

	record Order(String region, int number) {
	}

}
