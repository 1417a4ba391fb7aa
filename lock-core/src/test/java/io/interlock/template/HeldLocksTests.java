package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HeldLocks}.
 */
@SuppressWarnings("try")
class HeldLocksTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey(42);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = template();

	private LockTemplate template(LockListener... listeners) {
		return template(this.heldLocks, listeners);
	}

	private LockTemplate template(HeldLocks heldLocks, LockListener... listeners) {
		return new LockTemplate(this.provider, LockSettings.defaults(), heldLocks, List.of(listeners));
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	void aHoldIsShown() {
		try (LockHandle handle = this.template.acquire(REQUEST)) {
			assertThat(this.heldLocks.held())
				.containsExactly(new LockSnapshot(new LockId("orders", "42"), LockMode.EXCLUSIVE, handle.fencingToken(),
						true, 0, Thread.currentThread().getName(), handle.acquiredAt(), List.of(), null));
			assertThat(this.heldLocks.waiting()).isEmpty();
		}
	}

	@Test
	void noAcquisitionFailsForWantOfTheThreadThatLooksForLeaks() {
		try (OwnTimer time = new OwnTimer()) {
			LockTemplate template = template(new HeldLocks(time));
			try (NoNewThreads noThreads = new NoNewThreads()) {
				template.acquire(REQUEST).close();
			}
			assertThat(time.timer().getPoolSize()).isZero();
			template.acquire(REQUEST).close();
			assertThat(time.timer().getPoolSize()).isOne();
			assertThat(time.timer().getQueue()).hasSize(1);
		}
	}

	@Test
	void noAcquisitionFailsForWantOfTheThreadThatLooksForLongHolds() {
		try (OwnTimer time = new OwnTimer()) {
			LockTemplate template = template(new HeldLocks(time));
			try (NoNewThreads noThreads = new NoNewThreads()) {
				template.acquire(REQUEST.withMaxHold(Duration.ofMinutes(1))).close();
			}
			assertThat(time.timer().getPoolSize()).isZero();
			template.acquire(REQUEST).close();
			assertThat(time.timer().getPoolSize()).isOne();
		}
	}

	@Test
	void stacksAreWalkedForTheLocksThatAreAskedForOnly() throws Exception {
		List<StackCounter> holders = List.of(new StackCounter("orders"), new StackCounter("orders"),
				new StackCounter("reports"));
		for (StackCounter holder : holders) {
			holder.start();
			assertThat(holder.holds.await(10, TimeUnit.SECONDS)).isTrue();
		}
		assertThat(this.heldLocks.heldWithStacks("orders", 1)).singleElement()
			.satisfies((lock) -> assertThat(lock.stack()).isNotEmpty());
		assertThat(holders).extracting((holder) -> holder.walks).containsExactly(1, 0, 0);
		for (StackCounter holder : holders) {
			holder.ends.countDown();
			holder.join();
		}
	}

	@Test
	void joiningAddsNoEntry() {
		this.template.executeWithoutResult(REQUEST, (outer) -> this.template.executeWithoutResult(REQUEST,
				(inner) -> assertThat(this.heldLocks.held()).hasSize(1)));
	}

	@Test
	void aHoldIsShownUntilItsLastHandleIsClosed() {
		LockHandle outer = this.template.acquire(REQUEST);
		LockHandle inner = this.template.acquire(REQUEST);
		outer.close();
		assertThat(this.heldLocks.held()).hasSize(1);
		inner.close();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void aLostHoldIsShownAsNotValid() {
		this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.SIGNAL), (lock) -> {
			this.provider.onlyGrant().lose();
			assertThat(this.heldLocks.held()).extracting(LockSnapshot::valid).containsExactly(false);
		});
	}

	@Test
	void aWaitIsShown() throws Exception {
		this.provider.answersNothing();
		Background<Boolean> waiter = acquireInBackground(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).singleElement().satisfies((snapshot) -> {
			assertThat(snapshot.id()).isEqualTo(REQUEST.id());
			assertThat(snapshot.mode()).isEqualTo(LockMode.EXCLUSIVE);
			assertThat(snapshot.token()).isNull();
			assertThat(snapshot.valid()).isFalse();
			assertThat(snapshot.thread()).isEqualTo("background");
			assertThat(snapshot.since()).isBeforeOrEqualTo(attempt.owner().since());
		});
		attempt.grant();
		waiter.join();
	}

	@Test
	void aWaitShowsWhenItEndsAtTheLatest() throws Exception {
		this.provider.answersNothing();
		Background<Boolean> waiter = Background.start(() -> {
			try (LockHandle handle = this.template.acquire(REQUEST.withWaitTime(Duration.ofSeconds(30)))) {
				return handle.isValid();
			}
		});
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(this.heldLocks.waiting()).singleElement()
			.satisfies((snapshot) -> assertThat(snapshot.waitsUntil()).isEqualTo(snapshot.since().plusSeconds(30)));
		attempt.grant();
		waiter.join();
		Background<Boolean> patient = acquireInBackground(REQUEST);
		attempt = this.provider.awaitAttempt();
		assertThat(this.heldLocks.waiting()).singleElement()
			.satisfies((snapshot) -> assertThat(snapshot.waitsUntil()).isNull());
		attempt.grant();
		patient.join();
	}

	@Test
	void aWaitThatFailsIsForgotten() {
		this.provider.answers((attempt) -> {
			assertThat(this.heldLocks.waiting()).hasSize(1);
			attempt.deny();
		});
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	@Test
	void holdsAreShownOldestFirst() {
		List<LockHandle> handles = new ArrayList<>();
		for (int key = 0; key < 20; key++) {
			handles.add(this.template.acquire(REQUEST.withKey(key)));
		}
		assertThat(this.heldLocks.held()).hasSize(20).isSortedAccordingTo(Comparator.comparing(LockSnapshot::since));
		handles.forEach(LockHandle::close);
	}

	@Test
	void waitsAreShownOldestFirst() throws Exception {
		this.provider.answersNothing();
		List<Background<Boolean>> waiters = new ArrayList<>();
		List<ScriptedAttempt> attempts = new ArrayList<>();
		for (int key = 0; key < 10; key++) {
			waiters.add(acquireInBackground(REQUEST.withKey(key)));
			attempts.add(this.provider.awaitAttempt());
		}
		assertThat(this.heldLocks.waiting()).hasSize(10).isSortedAccordingTo(Comparator.comparing(LockSnapshot::since));
		attempts.forEach(ScriptedAttempt::grant);
		for (Background<Boolean> waiter : waiters) {
			waiter.join();
		}
	}

	@Test
	void twoThreadsOfOneNameAreTwoWaits() throws Exception {
		this.provider.answersNothing();
		Background<Boolean> one = acquireInBackground(REQUEST);
		Background<Boolean> other = acquireInBackground(REQUEST);
		ScriptedAttempt first = this.provider.awaitAttempt();
		ScriptedAttempt second = this.provider.awaitAttempt();
		assertThat(this.heldLocks.waiting()).hasSize(2);
		first.grant();
		second.grant();
		one.join();
		other.join();
	}

	@Test
	void listenersSeeTheRightPictureAtEveryMoment() {
		List<String> seen = new ArrayList<>();
		template(new LockListener() {

			@Override
			public void onWaiting(LockRequest request) {
				seen.add("waiting " + counts());
			}

			@Override
			public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
				seen.add("acquired " + counts());
			}

			@Override
			public void onReleased(LockHandle handle, Duration held) {
				seen.add("released " + counts());
			}

		}).acquire(REQUEST).close();
		assertThat(seen).containsExactly("waiting 1/0", "acquired 0/1", "released 0/0");
	}

	private String counts() {
		return this.heldLocks.waiting().size() + "/" + this.heldLocks.held().size();
	}

	@Test
	void aSnapshotDoesNotChange() {
		LockHandle handle = this.template.acquire(REQUEST);
		List<LockSnapshot> before = this.heldLocks.held();
		handle.close();
		assertThat(before).hasSize(1);
	}

	private Background<Boolean> acquireInBackground(LockRequest request) {
		return Background.start(() -> {
			try (LockHandle handle = this.template.acquire(request.withWaitTime(LockRequest.FOREVER))) {
				return handle.isValid();
			}
		});
	}

	/** A holder that counts how often its stack is asked for. */
	private final class StackCounter extends Thread {

		private final CountDownLatch holds = new CountDownLatch(1);

		private final CountDownLatch ends = new CountDownLatch(1);

		private final String lock;

		private int walks;

		StackCounter(String lock) {
			this.lock = lock;
		}

		@Override
		public void run() {
			HeldLocksTests.this.template.executeWithoutResult(LockRequest.exclusive(this.lock).withKey(getId()),
					(held) -> {
						this.holds.countDown();
						awaitUninterruptibly(this.ends);
					});
		}

		@Override
		public StackTraceElement[] getStackTrace() {
			this.walks++;
			return super.getStackTrace();
		}

		private static void awaitUninterruptibly(CountDownLatch latch) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
