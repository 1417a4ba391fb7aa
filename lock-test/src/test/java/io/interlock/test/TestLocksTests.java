package io.interlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.event.LockEvent;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockSnapshot;
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

	private final TestLocks locks = TestLocks.create();

	private final LockTemplate template = this.locks.template();

	@Test
	void busyLockIsHeldByAnotherInstanceUntilItIsClosed() throws Exception {
		AutoCloseable busy = this.locks.busy("seats", 42);
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
		assertThat(this.locks.provider().grants()).extracting((grant) -> grant.request().id())
			.containsExactlyInAnyOrder(SEAT.id(), new LockId("seats", null));
	}

	@Test
	void waiterIsServedWhenABusyLockIsGivenBack() throws Exception {
		AutoCloseable busy = this.locks.busy("seats", 42);
		Background<Long> waiter = Background.start(() -> this.template.execute(WAITING, (lock) -> lock.fencingToken()));
		await().until(() -> !this.locks.heldLocks().waiting().isEmpty());
		busy.close();
		assertThat(waiter.join()).isPositive();
		assertThat(this.locks).acquired("seats", 42).times(1);
	}

	@Test
	void refusesToBeBusyWithWhatIsHeld() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			assertThatIllegalStateException().isThrownBy(() -> this.locks.busy("seats", 42))
				.withMessage("Lock seats[42] cannot be taken by another instance, because the application holds it. "
						+ "Let it release the lock first");
			assertThat(held.isValid()).isTrue();
		}
		this.locks.busy("seats", 42);
		assertThatIllegalStateException().isThrownBy(() -> this.locks.busy("seats", 42))
			.withMessageContaining("because another instance has it already");
	}

	@Test
	void busyTakesALockThatLingers() {
		LockTemplate lingering = new LockTemplate(
				new QueueingLockProvider(this.locks.provider(), new QueueSettings(true, Map.of(), Duration.ofMillis(50),
						Integer.MAX_VALUE, Integer.MAX_VALUE, Duration.ofMinutes(1), Map.of())));
		lingering.execute(SEAT, (lock) -> lock.fencingToken());
		assertThat(this.locks.provider().grants()).hasSize(1);
		this.locks.busy("seats", 42);
		assertThat(lingering.tryAcquire(SEAT)).isEmpty();
	}

	@Test
	void outageFailsCallersAndWaitersAndSuspendsHolders() throws Exception {
		try (LockHandle held = this.template.acquire(SEAT)) {
			Background<Boolean> waiter = Background.start(() -> this.template.execute(WAITING, (lock) -> true));
			await().until(() -> !this.locks.heldLocks().waiting().isEmpty());
			AutoCloseable outage = this.locks.unavailable();
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
	void outageLastsUntilAllFaultsOfItAreClosed() throws Exception {
		AutoCloseable first = this.locks.unavailable();
		AutoCloseable second = this.locks.unavailable();
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
		assertThat(this.locks).lost("seats", 42).holdsNothing();
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
	void suspendedLockIsUnconfirmedUntilItIsClosed() throws Exception {
		List<LockState> told = new ArrayList<>();
		try (LockHandle held = this.template.acquire(SEAT)) {
			held.onStateChange(told::add);
			AutoCloseable suspension = this.locks.suspend("seats", 42);
			assertThat(held.state()).isEqualTo(LockState.UNCONFIRMED);
			assertThat(this.locks.held()).singleElement().returns(false, LockSnapshot::valid);
			suspension.close();
			assertThat(told).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
		}
	}

	@Test
	void endOfASuspensionDoesNotEndAnOutage() throws Exception {
		try (LockHandle held = this.template.acquire(SEAT)) {
			AutoCloseable suspension = this.locks.suspend("seats", 42);
			this.locks.unavailable();
			suspension.close();
			assertThat(held.state()).isEqualTo(LockState.UNCONFIRMED);
		}
	}

	@Test
	void historyTellsWhatHappenedInOrder() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			assertThat(this.locks.held()).singleElement()
				.returns(SEAT.id(), LockSnapshot::id)
				.returns(LockMode.EXCLUSIVE, LockSnapshot::mode)
				.returns(held.fencingToken(), LockSnapshot::token)
				.returns(Thread.currentThread().getName(), LockSnapshot::thread);
			this.template.execute(LockRequest.shared("prices"), (lock) -> "read");
			this.template.execute(SEAT, (lock) -> "joined");
			this.locks.lose("seats", 42);
		}
		assertThat(this.locks.held()).isEmpty();
		LockId prices = new LockId("prices", null);
		assertThat(this.locks.history()).extracting(LockEvent::id)
			.containsExactly(SEAT.id(), prices, prices, SEAT.id(), SEAT.id());
		assertThat(this.locks.history()).hasExactlyElementsOfTypes(LockEvent.Acquired.class, LockEvent.Acquired.class,
				LockEvent.Released.class, LockEvent.Lost.class, LockEvent.Released.class);
	}

	@Test
	void locksOfAnotherInstanceAreNeitherHeldNorInTheHistory() {
		this.locks.busy("seats", 42);
		assertThat(this.locks.held()).isEmpty();
		assertThat(this.locks.history()).isEmpty();
	}

	@Test
	void resetEndsAllFaultsReleasesWhatIsKeptAndForgetsTheHistory() {
		LockHandle held = this.template.acquire(SEAT);
		this.template.execute(SEAT.withKey(43).withMinHold(Duration.ofHours(1)), (lock) -> "done");
		this.locks.busy("seats", 44);
		this.locks.suspend("seats", 42);
		this.locks.unavailable();
		this.locks.reset();
		assertThat(this.locks.history()).isEmpty();
		assertThat(held.state()).isEqualTo(LockState.VALID);
		assertThat(this.template.tryAcquire(SEAT.withKey(43))).isPresent();
		assertThat(this.template.tryAcquire(SEAT.withKey(44))).isPresent();
		assertThat(this.locks).holds("seats", 42);
		this.template.execute(SEAT.withKey(45).withMinHold(Duration.ofHours(1)), (lock) -> "done");
		assertThat(this.locks).as("keeps again").holds("seats", 45);
	}

	@Test
	void lostLockIsNotHeld() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			this.locks.lose(held.id());
			assertThat(this.locks).holdsNothing();
		}
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
		assertThat(this.locks).acquired("seats", 42).times(200).holdsNothing();
		assertThat(this.locks.provider().grants()).isEmpty();
	}

}
