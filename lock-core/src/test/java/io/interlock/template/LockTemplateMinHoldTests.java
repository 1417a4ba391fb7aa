package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.RevocationRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for locks that stay taken after their holder has ended.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class LockTemplateMinHoldTests {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final LockRequest FREE = LockRequest.exclusive("settlement");

	private static final LockRequest KEPT = FREE.withMinHold(LONG);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final MovedTime time = new MovedTime();

	private final HeldLocks heldLocks = new HeldLocks(this.time);

	private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

	private final LockTemplate template = new LockTemplate(
			new QueueingLockProvider(this.provider, QueueSettings.defaults()), LockSettings.defaults(), this.heldLocks,
			List.of(new LockListener() {

				@Override
				public void onKept(LockHandle handle, Duration held) {
					add("kept", held);
				}

				@Override
				public void onReleased(LockHandle handle, Duration held) {
					add("released", held);
				}

				@Override
				public void onLost(LockHandle handle) {
					add("lost", Duration.ZERO);
				}

				@Override
				public void onOverdue(LockHandle handle, Duration held) {
					add("overdue", held);
				}

				private void add(String what, Duration held) {
					assertThat(held).isLessThan(LONG);
					LockTemplateMinHoldTests.this.news.add(what);
				}

			}));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		this.heldLocks.releaseKept();
		assertThat(this.heldLocks.held()).isEmpty();
		// The log of losses ends by itself, long before a minimum hold time would.
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.time.pending()).isEmpty();
		assertThat(ofAnotherInstance(FREE)).isTrue();
	}

	@Test
	@Proves(Promise.HOLDING_AT_LEAST)
	void callerReturnsAtOnceAndTheLockStaysTaken() throws Exception {
		assertThat(this.template.<String, RuntimeException>execute(KEPT, (lock) -> "done")).isEqualTo("done");
		assertThat(LockContext.held()).isEmpty();
		assertThat(this.template.tryAcquire(FREE)).as("the same thread").isEmpty();
		Background.run(() -> assertThat(this.template.tryAcquire(FREE)).as("another thread").isEmpty());
		assertThat(ofAnotherInstance(FREE)).isFalse();
	}

	@Test
	void isShownAsWhatItIs() {
		Instant before = Instant.now();
		this.template.executeWithoutResult(KEPT,
				(lock) -> assertThat(this.heldLocks.held()).singleElement()
					.extracting(LockSnapshot::keptUntil)
					.isNull());
		assertThat(this.heldLocks.heldWithStacks(null, 100)).singleElement().satisfies((lock) -> {
			assertThat(lock.keptUntil()).isBetween(before.plus(LONG), Instant.now().plus(LONG));
			assertThat(lock.valid()).isTrue();
			assertThat(lock.stack()).isEmpty();
		});
	}

	@Test
	void callerThatIsRefusedLearnsWhy() {
		this.template.acquire(KEPT).close();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquire(FREE.withWaitTime(Duration.ZERO)))
			.withMessageContaining("it is held by this instance until ")
			.withMessageEndingWith(", for its minimum hold time");
	}

	@Test
	@Proves(Promise.HOLDING_AT_LEAST)
	void isReleasedWhenTheTimeIsOver() throws Exception {
		this.template.acquire(KEPT).close();
		this.time.advance(LONG.minusNanos(1));
		assertThat(this.template.tryAcquire(FREE)).isEmpty();
		Background<Boolean> waiter = Background.start(() -> {
			try (LockHandle next = this.template.acquire(FREE)) {
				return next.isValid();
			}
		});
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		this.time.advance(Duration.ofNanos(1));
		assertThat(waiter.join()).isTrue();
	}

	@Test
	void listenersHearOfTheEndAndOfTheRelease() {
		this.template.acquire(KEPT).close();
		assertThat(this.news).containsExactly("kept");
		this.time.advance(LONG);
		assertThat(this.news).containsExactly("kept", "released");
	}

	@Test
	void bodyThatTookLongerReleasesAtOnce() {
		Duration minHold = Duration.ofMinutes(1);
		this.template.executeWithoutResult(FREE.withMinHold(minHold), (lock) -> this.time.advance(minHold));
		assertThat(this.news).containsExactly("released");
		assertThat(ofAnotherInstance(FREE)).isTrue();
	}

	@Test
	void bodyThatFailsIsKeptToo() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(KEPT, (lock) -> {
				throw new IllegalStateException();
			}));
		assertThat(ofAnotherInstance(FREE)).isFalse();
	}

	@Test
	void longestTimeOfAllRequestsCounts() {
		Instant before = Instant.now();
		this.template.executeWithoutResult(FREE.withMinHold(Duration.ofMinutes(1)), (lock) -> {
			this.template.acquire(KEPT).close();
			this.template.acquire(FREE.withMinHold(Duration.ofMinutes(2))).close();
			assertThat(this.news).isEmpty();
		});
		assertThat(this.heldLocks.held()).singleElement()
			.satisfies((lock) -> assertThat(lock.keptUntil()).isBetween(before.plus(LONG), Instant.now().plus(LONG)));
	}

	@Test
	void innerRequestKeepsALockThatTheOuterOneWouldRelease() {
		this.template.executeWithoutResult(FREE, (lock) -> this.template.acquire(KEPT).close());
		assertThat(this.heldLocks.held()).hasSize(1);
		assertThat(ofAnotherInstance(FREE)).isFalse();
	}

	@Test
	void endOfAnInnerRequestIsNotTheEnd() {
		this.template.executeWithoutResult(KEPT, (lock) -> {
			this.template.acquire(FREE).close();
			assertThat(this.news).isEmpty();
			assertThat(lock.isValid()).isTrue();
		});
		assertThat(this.news).containsExactly("kept");
	}

	@Test
	void readersShareAKeptReadLockAndWritersWait() {
		LockRequest reader = LockRequest.shared("settlement");
		this.template.acquire(reader.withMinHold(LONG)).close();
		assertThat(ofAnotherInstance(reader)).isTrue();
		assertThat(ofAnotherInstance(FREE)).isFalse();
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_LOCK_IS_LOST)
	void lostLockIsNotKept(CapturedOutput output) {
		this.template.executeWithoutResult(KEPT, (lock) -> {
		});
		this.provider.changeState(FREE.id(), LockState.LOST);
		assertThat(this.news).containsExactly("kept", "lost", "released");
		assertThat(output).contains("Lost lock settlement before its minimum hold time was over")
			.doesNotContain("in doubt");
		assertThat(ofAnotherInstance(FREE)).isTrue();
	}

	@Test
	void lockThatIsLostBeforeTheEndIsNotKept() {
		LockHandle handle = this.template.acquire(KEPT);
		this.provider.changeState(FREE.id(), LockState.LOST);
		handle.close();
		assertThat(this.news).containsExactly("lost", "released");
	}

	@Test
	void operatorWhoAsksForItGetsIt() {
		this.template.acquire(KEPT).close();
		RevocationRequest request = new RevocationRequest("operator", Instant.now());
		assertThat(this.heldLocks.requestRevocation((handle) -> true, request)).isEqualTo(1);
		assertThat(this.news).containsExactly("kept", "released");
		assertThat(ofAnotherInstance(FREE)).isTrue();
	}

	@Test
	void shutdownReleasesIt() throws Exception {
		LockHandle running = this.template.acquire(KEPT.withKey("running"));
		this.template.acquire(KEPT).close();
		this.heldLocks.stop();
		assertThat(this.heldLocks.held()).hasSize(2);
		this.heldLocks.keepNone();
		assertThat(this.heldLocks.held()).hasSize(1);
		running.close();
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isTrue();
		this.heldLocks.start();
		this.template.acquire(KEPT).close();
		assertThat(this.heldLocks.held()).hasSize(1);
	}

	@Test
	void shutdownCanWaitForIt() throws Exception {
		this.template.acquire(KEPT).close();
		assertThat(this.heldLocks.awaitReleased(Duration.ZERO)).isFalse();
		Background<Boolean> shutdown = Background.start(() -> this.heldLocks.awaitReleased(LONG));
		this.time.advance(LONG);
		assertThat(shutdown.join()).isTrue();
	}

	@Test
	void timeCountsFromTheAcquisitionAlsoIfTheTransactionKeepsTheLock() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			this.template.acquire(KEPT).close();
			assertThat(this.news).isEmpty();
			this.time.advance(LONG.dividedBy(2));
			Instant before = Instant.now();
			TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);
			assertThat(this.news).containsExactly("kept");
			assertThat(this.heldLocks.held().get(0).keptUntil()).isBetween(before.plus(LONG.dividedBy(2)),
					Instant.now().plus(LONG.dividedBy(2)));
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
		this.time.advance(LONG.dividedBy(2));
		assertThat(this.news).containsExactly("kept", "released");
	}

	@Test
	void keptLockIsNotOverdue() {
		Duration maxHold = LONG.dividedBy(4);
		this.template.acquire(KEPT.withMaxHold(maxHold)).close();
		this.time.advance(maxHold.multipliedBy(2));
		this.heldLocks.releaseKept();
		assertThat(this.news).containsExactly("kept", "released");
	}

	@Test
	void keptLocksNeedOneThread() {
		try (OwnTimer ownTimer = new OwnTimer()) {
			HeldLocks holds = new HeldLocks(ownTimer);
			LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), holds, List.of());
			for (int key = 0; key < 100; key++) {
				template.acquire(KEPT.withKey(key)).close();
			}
			assertThat(holds.held()).hasSize(100);
			assertThat(ownTimer.timer().getPoolSize()).isOne();
			assertThat(ownTimer.timer().getQueue()).filteredOn(LockTemplateMinHoldTests::isFarAway).hasSize(100);
			holds.releaseKept();
			assertThat(ownTimer.timer().getQueue()).noneMatch(LockTemplateMinHoldTests::isFarAway);
		}
	}

	private static boolean isFarAway(Runnable task) {
		return task instanceof Delayed delayed && delayed.getDelay(TimeUnit.MINUTES) > 0;
	}

	@Test
	void refusesATimeThatIsNegativeOrHasNoEnd() {
		assertThatIllegalArgumentException().isThrownBy(() -> FREE.withMinHold(Duration.ofMillis(-1)))
			.withMessage("'minHold' must not be negative or FOREVER: PT-0.001S");
		assertThatIllegalArgumentException().isThrownBy(() -> FREE.withMinHold(LockRequest.FOREVER));
	}

	@Test
	void refusesATimeThatIsLongerThanAYear() {
		Duration longest = LockRequest.MAX_MIN_HOLD;
		assertThat(FREE.withMinHold(longest).minHold()).isEqualTo(longest);
		assertThatIllegalArgumentException().isThrownBy(() -> FREE.withMinHold(longest.plusMillis(1)))
			.withMessage("'minHold' must be at most 366 days: PT8784H0.001S");
	}

	private boolean ofAnotherInstance(LockRequest request) {
		LockAttempt attempt = this.provider.attempt(request.withWaitTime(Duration.ZERO), LockCaller.current());
		LockGrant grant = attempt.outcome().join().orElse(null);
		if (grant != null) {
			grant.release();
		}
		return grant != null;
	}

}
