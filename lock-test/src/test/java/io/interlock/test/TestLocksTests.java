package io.interlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockGrant;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link TestLocks}.
 */
@Timeout(60)
class TestLocksTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seats").withKey(42).withWaitTime(Duration.ZERO);

	private static final LockRequest WAITING = SEAT.withWaitTime(LockRequest.FOREVER);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final LockHistory history = new LockHistory();

	private final HeldLocks heldLocks = new HeldLocks();

	private final TestLocks locks = new TestLocks(this.provider, this.history);

	private final LockTemplate template = template(Duration.ZERO);

	@Test
	void busyLockIsHeldByAnotherInstanceUntilItIsClosed() {
		TestLocks.Fault busy = this.locks.busy("seats", 42);
		assertThat(this.template.tryAcquire(SEAT)).isEmpty();
		assertThat(this.template.tryAcquire(SEAT.withKey(43))).isPresent();
		busy.close();
		busy.close();
		assertThat(this.template.tryAcquire(SEAT)).isPresent();
	}

	@Test
	void idsNamesAndKeysMeanTheSameLocks() {
		this.locks.busy(SEAT.id());
		this.locks.busy("seats");
		assertThat(this.provider.grants()).extracting(LockGrant::id)
			.containsExactlyInAnyOrder(SEAT.id(), new LockId("seats", null));
	}

	@Test
	void waiterIsServedWhenABusyLockIsGivenBack() throws Exception {
		TestLocks.Fault busy = this.locks.busy("seats", 42);
		Background<Long> waiter = Background.start(() -> this.template.execute(WAITING, (lock) -> lock.fencingToken()));
		await().until(() -> !this.heldLocks.waiting().isEmpty());
		busy.close();
		assertThat(waiter.join()).isPositive();
		assertThat(this.locks).acquired("seats", 42).once();
	}

	@Test
	void refusesToBeBusyWithWhatIsHeld() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			assertThatIllegalStateException().isThrownBy(() -> this.locks.busy("seats", 42))
				.withMessage("Lock seats[42] cannot be taken by another instance, because the application holds it. "
						+ "Have it release the lock before");
			assertThat(held.isValid()).isTrue();
		}
		this.locks.busy("seats", 42);
		assertThatIllegalStateException().isThrownBy(() -> this.locks.busy("seats", 42))
			.withMessageContaining("because another instance has it already");
	}

	@Test
	void busyTakesALockThatLingers() {
		LockTemplate lingering = template(Duration.ofMinutes(1));
		lingering.execute(SEAT, (lock) -> lock.fencingToken());
		assertThat(this.provider.grants()).hasSize(1);
		this.locks.busy("seats", 42);
		assertThat(lingering.tryAcquire(SEAT)).isEmpty();
	}

	@Test
	void outageFailsCallersAndWaitersAndSuspendsHolders() throws Exception {
		try (LockHandle held = this.template.acquire(SEAT)) {
			Background<Boolean> waiter = Background.start(() -> this.template.execute(WAITING, (lock) -> true));
			await().until(() -> !this.heldLocks.waiting().isEmpty());
			TestLocks.Fault outage = this.locks.unavailable();
			assertThat(held.state()).isEqualTo(LockState.UNCONFIRMED);
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> this.template.acquire(SEAT.withKey(43)));
			assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(waiter::join);
			assertThatIllegalStateException().isThrownBy(() -> this.locks.busy("other"))
				.withMessageContaining("Call busy before unavailable");
			outage.close();
			assertThat(held.state()).isEqualTo(LockState.VALID);
		}
		assertThat(this.locks).refused("seats", 42).refused("seats", 43);
	}

	@Test
	void outageLastsUntilAllFaultsOfItAreClosed() {
		TestLocks.Fault first = this.locks.unavailable();
		TestLocks.Fault second = this.locks.unavailable();
		second.close();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> this.template.acquire(SEAT));
		first.close();
		assertThat(this.template.tryAcquire(SEAT)).isPresent();
	}

	@Test
	void lostLockIsKnownToItsHolderAndFreeForOthers() throws Exception {
		List<LockState> told = new ArrayList<>();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(SEAT, (lock) -> {
			lock.onStateChange(told::add);
			this.locks.lose("seats", 42);
			assertThat(lock.isLost()).isTrue();
			this.locks.busy("seats", 42);
			return "done";
		}));
		assertThat(told).containsExactly(LockState.LOST);
		assertThat(this.locks).lost("seats", 42).notHeld("seats");
	}

	@Test
	void refusesToLoseOrSuspendWhatTheApplicationDoesNotHold() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose("seats"))
			.withMessage("Lock seats cannot be lost, because the application does not hold it. It holds no lock");
		this.locks.busy("seats");
		try (LockHandle held = this.template.acquire(SEAT)) {
			assertThatIllegalStateException().isThrownBy(() -> this.locks.suspend("seats"))
				.withMessage(
						"Lock seats cannot be suspended, because the application does not hold it. It holds [seats[42]]");
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void suspendedLockIsUnconfirmedUntilItIsClosed() {
		List<LockState> told = new ArrayList<>();
		try (LockHandle held = this.template.acquire(SEAT)) {
			held.onStateChange(told::add);
			TestLocks.Fault suspension = this.locks.suspend("seats", 42);
			assertThat(held.state()).isEqualTo(LockState.UNCONFIRMED);
			assertThat(this.locks.held()).singleElement().returns(LockState.UNCONFIRMED, LockAcquisition::state);
			suspension.close();
			assertThat(told).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
		}
	}

	@Test
	void endOfASuspensionDoesNotEndAnOutage() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			TestLocks.Fault suspension = this.locks.suspend("seats", 42);
			this.locks.unavailable();
			suspension.close();
			assertThat(held.state()).isEqualTo(LockState.UNCONFIRMED);
		}
	}

	@Test
	void historyTellsWhatWasAcquiredAndHowItEnded() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			assertThat(this.locks.history()).isEqualTo(this.locks.held())
				.containsExactly(new LockAcquisition(SEAT.id(), LockMode.EXCLUSIVE, held.fencingToken(),
						this.locks.history().get(0).acquiredAt(), LockState.VALID));
			this.template.execute(LockRequest.shared("prices"), (lock) -> "read");
			this.template.execute(SEAT, (lock) -> "joined");
		}
		assertThat(this.locks.held()).isEmpty();
		assertThat(this.locks.history()).extracting(LockAcquisition::id)
			.containsExactly(SEAT.id(), new LockId("prices", null));
		assertThat(this.locks.history()).extracting(LockAcquisition::state).containsOnly(LockState.RELEASED);
		assertThat(this.locks.history().get(1).mode()).isEqualTo(LockMode.SHARED);
	}

	@Test
	void locksOfAnotherInstanceAreNeitherHeldNorInTheHistory() {
		this.locks.busy("seats", 42);
		assertThat(this.locks.held()).isEmpty();
		assertThat(this.locks.history()).isEmpty();
	}

	@Test
	void resetEndsAllFaultsAndForgetsWhatHasEnded() {
		LockHandle held = this.template.acquire(SEAT);
		this.template.execute(SEAT.withKey(43), (lock) -> "done");
		this.locks.busy("seats", 44);
		this.locks.suspend("seats", 42);
		this.locks.unavailable();
		this.locks.reset();
		assertThat(held.state()).isEqualTo(LockState.VALID);
		assertThat(this.template.tryAcquire(SEAT.withKey(44))).isPresent();
		assertThat(this.locks.history()).extracting(LockAcquisition::id).containsExactly(new LockId("seats", "44"));
		assertThat(this.locks).held("seats", 42);
		held.close();
		assertThat(this.locks).notHeld("seats", 42);
	}

	@Test
	void countsWhatManyThreadsAcquire() throws Exception {
		CountDownLatch start = new CountDownLatch(1);
		List<Background<Integer>> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			threads.add(Background.start(() -> {
				assertThat(start.await(30, TimeUnit.SECONDS)).isTrue();
				for (int times = 0; times < 50; times++) {
					this.template.execute(WAITING, (lock) -> "done");
				}
				return 50;
			}));
		}
		start.countDown();
		for (Background<Integer> thread : threads) {
			thread.join();
		}
		assertThat(this.locks).acquired("seats", 42).times(200).notHeld("seats");
		assertThat(this.provider.grants()).isEmpty();
	}

	private LockTemplate template(Duration linger) {
		return new LockTemplate(
				new QueueingLockProvider(this.provider, new QueueSettings(true, Map.of(), Duration.ofMillis(50),
						Integer.MAX_VALUE, Integer.MAX_VALUE, linger, Map.of())),
				LockSettings.defaults(), this.heldLocks, List.of(this.history));
	}

}
