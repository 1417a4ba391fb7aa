package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.LockUpgradeException;
import io.interlock.LossPolicy;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockOperations#asLock}.
 */
@Timeout(30)
class TemplateLockTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey(42);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider,
			new LockSettings(Duration.ofMillis(20), Map.of(), Duration.ofSeconds(1)), this.heldLocks, List.of());

	private final Lock lock = this.template.asLock(REQUEST);

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	void locksUntilItIsUnlocked() throws Exception {
		this.lock.lock();
		assertThat(LockContext.current().id()).isEqualTo(REQUEST.id());
		assertThat(tryInBackground()).isFalse();
		this.lock.unlock();
		assertThat(tryInBackground()).isTrue();
	}

	@Test
	void isReentrant() throws Exception {
		this.lock.lock();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.template.tryAcquire(REQUEST)).get().satisfies(LockHandle::close);
		this.lock.unlock();
		assertThat(tryInBackground()).isFalse();
		this.lock.unlock();
		assertThat(tryInBackground()).isTrue();
	}

	@Test
	void waitsWithoutALimitInPlaceOfTheDefaultWaitTime() throws Exception {
		LockHandle held = this.template.acquire(REQUEST).detach();
		Background<Boolean> waiter = Background.start(this::lockAndUnlock);
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		await().pollDelay(Duration.ofMillis(60)).until(() -> this.heldLocks.waiting().size() == 1);
		held.close();
		assertThat(waiter.join()).isTrue();
	}

	@Test
	void waitsAsLongAsTheRequestSays() {
		Lock impatient = this.template.asLock(REQUEST.withWaitTime(Duration.ofMillis(20)));
		try (LockHandle held = this.template.acquire(REQUEST).detach()) {
			assertThat(held.isValid()).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(impatient::lock);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(impatient::lockInterruptibly);
		}
	}

	@Test
	void triesForATime() throws Exception {
		try (LockHandle held = this.template.acquire(REQUEST).detach()) {
			assertThat(held.isValid()).isTrue();
			assertThat(this.lock.tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
			assertThat(this.lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
		}
		assertThat(this.lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
		this.lock.unlock();
	}

	@Test
	void lockKeepsTheInterruptForLater() throws Exception {
		LockHandle held = this.template.acquire(REQUEST).detach();
		Background<Boolean> waiter = Background.start(() -> {
			this.lock.lock();
			boolean flag = Thread.currentThread().isInterrupted();
			this.lock.unlock();
			return flag;
		});
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		waiter.interrupt();
		await().pollDelay(Duration.ofMillis(30)).until(() -> this.heldLocks.waiting().size() == 1);
		held.close();
		assertThat(waiter.join()).as("flag").isTrue();
	}

	@Test
	void interruptEndsAnInterruptibleWait() throws Exception {
		LockHandle held = this.template.acquire(REQUEST).detach();
		Background<Boolean> waiter = Background.start(() -> {
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.lock::lockInterruptibly)
				.withMessageContaining("orders[42]");
			return Thread.currentThread().isInterrupted();
		});
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		waiter.interrupt();
		assertThat(waiter.join()).as("flag").isFalse();
		held.close();
	}

	@Test
	void interruptedThreadMayTryButDoesNotWaitInterruptibly() {
		Thread.currentThread().interrupt();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.lock.tryLock(1, TimeUnit.SECONDS));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void onlyTheThreadThatLockedUnlocks() throws Exception {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("orders[42]");
		this.lock.lock();
		Background
			.run(() -> assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock));
		assertThat(LockContext.current().isValid()).isTrue();
		this.lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void unlockTellsALoss() {
		this.lock.lock();
		this.provider.changeState(REQUEST.id(), LockState.LOST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		this.lock.lock();
		this.lock.unlock();
	}

	@Test
	void unlockTellsNoLossIfTheRequestOnlySignalsIt() {
		Lock signalling = this.template.asLock(REQUEST.withOnLoss(LossPolicy.SIGNAL));
		signalling.lock();
		this.provider.changeState(REQUEST.id(), LockState.LOST);
		signalling.unlock();
	}

	@Test
	void outageIsNoContention() {
		this.provider.setAvailable(false);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(this.lock::tryLock);
	}

	@Test
	void upgradeIsRefused() {
		Lock shared = this.template.asLock(LockRequest.shared("orders").withKey(42));
		shared.lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(this.lock::lock);
		shared.unlock();
	}

	@Test
	void hasNoConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	@Test
	@SuppressWarnings("NullAway")
	void needsARequest() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.asLock(null));
	}

	private boolean lockAndUnlock() {
		this.lock.lock();
		this.lock.unlock();
		return true;
	}

	private boolean tryInBackground() throws Exception {
		return Background.start(() -> {
			boolean locked = this.lock.tryLock();
			if (locked) {
				this.lock.unlock();
			}
			return locked;
		}).join();
	}

}
