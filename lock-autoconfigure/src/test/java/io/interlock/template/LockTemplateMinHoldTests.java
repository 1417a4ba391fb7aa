package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.interlock.LockAttempt;
import io.interlock.LockGrant;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.RevocationRequest;
import io.interlock.memory.InMemoryLockProvider;
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

	private static final Duration SHORT = Duration.ofMillis(60);

	private static final LockRequest FREE = LockRequest.exclusive("settlement");

	private static final LockRequest KEPT = FREE.withMinHold(LONG);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

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
		// The timer forgets a hold after it has released the lock.
		await().untilAsserted(() -> assertThat(this.heldLocks.held()).isEmpty());
		assertThat(LockTime.TIMER.getQueue())
			.noneMatch((task) -> task instanceof Delayed delayed && delayed.getDelay(TimeUnit.MINUTES) > 0);
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
	void isReleasedWhenTheTimeIsOver() {
		long askedAt = System.nanoTime();
		LockHandle first = this.template.acquire(FREE.withMinHold(SHORT));
		first.close();
		try (LockHandle next = this.template.acquire(FREE)) {
			assertThat(System.nanoTime() - askedAt).isGreaterThanOrEqualTo(SHORT.toNanos());
			assertThat(Duration.between(first.acquiredAt(), Instant.now())).isGreaterThanOrEqualTo(SHORT);
			assertThat(next.isValid()).isTrue();
		}
	}

	@Test
	void listenersHearOfTheEndAndOfTheRelease() throws Exception {
		String first = "";
		// A thread that stands still holds the lock for its minimum time itself.
		for (int round = 0; round < 10 && !"kept".equals(first); round++) {
			this.template.acquire(FREE.withMinHold(SHORT)).close();
			first = this.news.poll();
		}
		assertThat(first).isEqualTo("kept");
		assertThat(this.news.poll(10, TimeUnit.SECONDS)).isEqualTo("released");
		assertThat(this.news).isEmpty();
	}

	@Test
	void bodyThatTookLongerReleasesAtOnce() {
		this.template.acquire(FREE.withMinHold(Duration.ofNanos(1))).close();
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
		LockHandle handle = this.template.acquire(FREE.withMinHold(SHORT));
		handle.close();
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
		assertThat(Duration.between(handle.acquiredAt(), Instant.now())).isGreaterThanOrEqualTo(SHORT);
	}

	@Test
	void timeCountsFromTheAcquisitionAlsoIfTheTransactionKeepsTheLock() {
		Instant before = Instant.now();
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			this.template.acquire(KEPT).close();
			assertThat(this.news).isEmpty();
			Instant end = Instant.now();
			TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);
			assertThat(this.news).containsExactly("kept");
			assertThat(this.heldLocks.held().get(0).keptUntil()).isBetween(before.plus(LONG), end.plus(LONG));
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	@Test
	void keptLockIsNotOverdue() throws Exception {
		Duration maxHold = Duration.ofMillis(30);
		CountDownLatch ended = new CountDownLatch(1);
		CountDownLatch passed = new CountDownLatch(1);
		// The timer comes late, because a thread that stands still would be overdue.
		LockTime.TIMER.submit(() -> ended.await(10, TimeUnit.SECONDS));
		this.template.acquire(KEPT.withMaxHold(maxHold)).close();
		ended.countDown();
		LockTime.TIMER.schedule(passed::countDown, maxHold.multipliedBy(2).toNanos(), TimeUnit.NANOSECONDS);
		assertThat(passed.await(10, TimeUnit.SECONDS)).isTrue();
		this.heldLocks.releaseKept();
		assertThat(this.news).containsExactly("kept", "released");
	}

	@Test
	void keptLocksNeedOneThread() {
		for (int key = 0; key < 100; key++) {
			this.template.acquire(KEPT.withKey(key)).close();
		}
		assertThat(this.heldLocks.held()).hasSize(100);
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().equals("interlock-holds"))
			.hasSize(1);
	}

	@Test
	void refusesATimeThatIsNegativeOrHasNoEnd() {
		assertThatIllegalArgumentException().isThrownBy(() -> FREE.withMinHold(Duration.ofMillis(-1)))
			.withMessage("'minHold' must not be negative or FOREVER: PT-0.001S");
		assertThatIllegalArgumentException().isThrownBy(() -> FREE.withMinHold(LockRequest.FOREVER));
	}

	private boolean ofAnotherInstance(LockRequest request) {
		LockAttempt attempt = this.provider.attempt(request.withWaitTime(Duration.ZERO), LockOwner.current());
		LockGrant grant = attempt.outcome().join().orElse(null);
		if (grant != null) {
			grant.release();
		}
		return grant != null;
	}

}
