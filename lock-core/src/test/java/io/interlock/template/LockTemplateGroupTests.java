package io.interlock.template;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.LockUpgradeException;
import io.interlock.LossPolicy;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for several locks of one {@link LockTemplate}.
 */
@Timeout(60)
@SuppressWarnings("try")
class LockTemplateGroupTests {

	private static final LockRequest A = LockRequest.exclusive("accounts").withKey("a");

	private static final LockRequest B = LockRequest.exclusive("accounts").withKey("b");

	private static final LockRequest C = LockRequest.exclusive("accounts").withKey("c");

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final LockTemplate template = new LockTemplate(
			new QueueingLockProvider(this.provider,
					new QueueSettings(true, Map.of(), Duration.ofMillis(50), Integer.MAX_VALUE, Integer.MAX_VALUE)),
			LockSettings.defaults(), this.heldLocks, List.of(new Recorder()));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.heldLocks.held()).isEmpty();
		for (LockRequest request : List.of(A, B, C)) {
			takenElsewhere(request).release();
		}
	}

	@Test
	void locksAreTakenInOneOrderAndReleasedInReverse() {
		LockRequest name = LockRequest.exclusive("accounts");
		LockRequest other = LockRequest.shared("Zones").withKey("x");
		try (LockHandles locks = this.template.acquireAll(List.of(C, A, name, other, B))) {
			assertThat(locks.handles()).extracting(LockHandle::id)
				.containsExactly(other.id(), name.id(), A.id(), B.id(), C.id());
			assertThat(locks.handle(other.id()).mode()).isEqualTo(LockMode.SHARED);
			assertThat(locks.isValid()).isTrue();
			assertThat(LockContext.current()).isSameAs(locks.handle(C.id()));
			assertThat(LockContext.held()).hasSize(5);
			locks.verify();
		}
		assertThat(this.told).containsExactly("waiting Zones[x]", "acquired Zones[x]", "waiting accounts",
				"acquired accounts", "waiting accounts[a]", "acquired accounts[a]", "waiting accounts[b]",
				"acquired accounts[b]", "waiting accounts[c]", "acquired accounts[c]", "released accounts[c]",
				"released accounts[b]", "released accounts[a]", "released accounts", "released Zones[x]");
	}

	@Test
	void aLockThatIsAskedForTwiceIsTakenOnceAndExclusively() {
		LockRequest shared = LockRequest.shared("accounts").withKey("a").withOnLoss(LossPolicy.SIGNAL);
		try (LockHandles locks = this.template.acquireAll(List.of(shared, B, A, shared, A))) {
			assertThat(locks.handles()).extracting(LockHandle::id).containsExactly(A.id(), B.id());
			assertThat(locks.handle(A.id()).mode()).isEqualTo(LockMode.EXCLUSIVE);
		}
	}

	@Test
	void aLockThatIsAskedForTwiceIsKeptForTheLongestTime() {
		Duration longest = Duration.ofMinutes(10);
		this.template.acquireAll(List.of(A.withMinHold(Duration.ofMinutes(1)), A.withMinHold(longest), A, B)).close();
		assertThat(this.heldLocks.held()).singleElement()
			.satisfies((lock) -> assertThat(lock.keptUntil()).isAfter(Instant.now().plus(longest.dividedBy(2))));
		this.heldLocks.releaseKept();
	}

	@Test
	void anotherLockHasNoHandle() {
		try (LockHandles locks = this.template.acquireAll(List.of(A))) {
			assertThatIllegalArgumentException().isThrownBy(() -> locks.handle(B.id()))
				.withMessageContaining("accounts[b]");
		}
	}

	@Test
	void handlesAreInvalidAsSoonAsOneOfThemIs() {
		try (LockHandles locks = this.template.acquireAll(List.of(A, B))) {
			this.provider.changeState(B.id(), LockState.LOST);
			assertThat(locks.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(locks::verify)
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(B.id()));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b", "c" })
	void noneIsHeldWhenOneIsNotAcquired(String busy) {
		LockGrant other = takenElsewhere(LockRequest.exclusive("accounts").withKey(busy));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquireAll(waiting(Duration.ofMillis(30), A, B, C)))
			.satisfies((ex) -> assertThat(ex.lockId().key()).isEqualTo(busy))
			.satisfies((ex) -> assertThat(ex.waited()).isBetween(Duration.ofMillis(30), Duration.ofSeconds(10)));
		assertThat(this.told).contains("not acquired accounts[" + busy + "]");
		assertThat(this.told.stream().filter((news) -> news.startsWith("acquired")).count())
			.isEqualTo(this.told.stream().filter((news) -> news.startsWith("released")).count());
		other.release();
	}

	@Test
	void groupWithoutWaitTimeIsRefusedAtOnce() {
		LockGrant other = takenElsewhere(B);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquireAll(waiting(Duration.ZERO, A, B, C)));
		other.release();
		this.template.acquireAll(waiting(Duration.ZERO, A, B, C)).close();
	}

	@Test
	void aTryOfFreeLocksHoldsThemAll() {
		LockHandles locks = this.template.tryAcquireAll(List.of(B, A)).orElseThrow();
		assertThat(locks.handles()).extracting(LockHandle::id).containsExactly(A.id(), B.id());
		assertThat(locks.isValid()).isTrue();
		locks.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b", "c" })
	void aTryIsEmptyWhenOneIsHeldAndHoldsNone(String busy) {
		LockGrant other = takenElsewhere(LockRequest.exclusive("accounts").withKey(busy));
		assertThat(this.template.tryAcquireAll(List.of(A, B, C))).isEmpty();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(LockContext.held()).isEmpty();
		assertThat(this.told).contains("not acquired accounts[" + busy + "]");
		other.release();
	}

	@Test
	void aTryWaitsForAsLongAsItsRequestsSay() throws Exception {
		LockGrant other = takenElsewhere(B);
		Background<Boolean> group = Background
			.start(() -> this.template.tryAcquireAll(waiting(LockRequest.FOREVER, A, B)).map((locks) -> {
				locks.close();
				return true;
			}).orElse(false));
		await().until(() -> this.heldLocks.waiting().stream().anyMatch((wait) -> wait.id().equals(B.id())));
		other.release();
		assertThat(group.join()).isTrue();
	}

	@Test
	void aTryDoesNotWaitIfOneOfItsRequestsDoesNot() {
		LockGrant other = takenElsewhere(B);
		assertThat(this.template.tryAcquireAll(List.of(A.withWaitTime(LockRequest.FOREVER), B))).isEmpty();
		other.release();
	}

	@Test
	void aTryIsNotEmptyInAnOutageButFails() {
		this.provider.setAvailable(false);
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquireAll(List.of(A, B)))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(A.id()));
		this.provider.setAvailable(true);
	}

	@Test
	void aTryRefusesWhatIsNoGroup() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.tryAcquireAll(List.of()))
			.withMessage("'requests' must not be empty");
	}

	@Test
	void theShortestWaitTimeIsTheDeadlineOfAll() {
		LockGrant other = takenElsewhere(B);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquireAll(List.of(A.withWaitTime(LockRequest.FOREVER),
					B.withWaitTime(LockRequest.FOREVER), C.withWaitTime(ofMillis(20)))))
			.satisfies((ex) -> assertThat(ex.waited()).isLessThan(Duration.ofSeconds(9)));
		other.release();
	}

	private static Duration ofMillis(long millis) {
		return Duration.ofMillis(millis);
	}

	@Test
	void whileOneIsWaitedForThoseBehindItAreFree() throws Exception {
		LockGrant other = takenElsewhere(B);
		Background<?> group = Background.start(() -> {
			this.template.acquireAll(waiting(LockRequest.FOREVER, A, B, C)).close();
			return true;
		});
		await().until(() -> this.heldLocks.waiting().stream().anyMatch((wait) -> wait.id().equals(B.id())));
		assertThat(this.heldLocks.held()).singleElement().satisfies((held) -> assertThat(held.id()).isEqualTo(A.id()));
		await().ignoreExceptions().untilAsserted(() -> takenElsewhere(C).release());
		other.release();
		group.join();
	}

	@Test
	void locksThatAreHeldAlreadyAreJoined() {
		try (LockHandle outer = this.template.acquire(B);
				LockHandles locks = this.template
					.acquireAll(List.of(A, B, LockRequest.shared("accounts").withKey("b")))) {
			assertThat(locks.handle(B.id()).fencingToken()).isEqualTo(outer.fencingToken());
			locks.close();
			assertThat(outer.isValid()).isTrue();
		}
		assertThat(this.told).containsOnlyOnce("waiting accounts[b]");
	}

	@Test
	void anUpgradeIsRefusedBeforeAnythingIsTaken() {
		try (LockHandle shared = this.template.acquire(LockRequest.shared("accounts").withKey("b"))) {
			this.told.clear();
			assertThatExceptionOfType(LockUpgradeException.class)
				.isThrownBy(() -> this.template.acquireAll(List.of(A, B)));
			assertThat(this.told).isEmpty();
			assertThat(shared.isValid()).isTrue();
		}
	}

	@Test
	void permitsAreTakenBesideLocks() {
		LockRequest permit = LockRequest.semaphore("office", 2);
		LockGrant other = takenElsewhere(permit);
		try (LockHandles locks = this.template.acquireAll(List.of(permit, A))) {
			assertThat(locks.handle(permit.id()).mode()).isEqualTo(LockMode.PERMIT);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> Background.call(() -> this.template.acquireAll(waiting(Duration.ZERO, permit, B))));
		}
		other.release();
	}

	@Test
	void anActionRunsUnderAllLocks() throws Exception {
		String result = this.template.executeAll(List.of(B, A), (locks) -> {
			assertThat(this.heldLocks.held()).hasSize(2);
			assertThat(locks.handles()).hasSize(2);
			return "done";
		});
		assertThat(result).isEqualTo("done");
	}

	@Test
	void anActionThatIsTriedRunsUnderAllLocks() {
		LockOutcome<String> outcome = this.template.tryExecuteAll(List.of(B, A), (locks) -> {
			assertThat(this.heldLocks.held()).hasSize(2);
			assertThat(locks.handles()).hasSize(2);
			return "done";
		});
		assertThat(outcome.acquired()).isTrue();
		assertThat(outcome.value()).isEqualTo("done");
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void anActionThatIsTriedDoesNotRunWhenOneLockIsHeld() {
		LockGrant other = takenElsewhere(B);
		LockOutcome<String> outcome = this.template.tryExecuteAll(List.of(A, B, C), (locks) -> "done");
		assertThat(outcome.acquired()).isFalse();
		assertThat(this.heldLocks.held()).isEmpty();
		other.release();
	}

	@Test
	void aRefusalOfAnInnerLockReachesTheCallerOfATry() {
		LockGrant other = takenElsewhere(C);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.tryExecuteAll(List.of(A, B),
					(locks) -> this.template.acquireAll(waiting(Duration.ZERO, C))))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(C.id()));
		assertThat(this.heldLocks.held()).isEmpty();
		other.release();
	}

	@Test
	void aLossIsToldInPlaceOfTheResultOfATry() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.tryExecuteAll(List.of(A, B, C), (locks) -> {
				this.provider.changeState(B.id(), LockState.LOST);
				return "done";
			}))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(B.id()));
	}

	@Test
	void anExceptionOfTheActionReachesTheCaller() {
		IOException failure = new IOException("disk");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.template.executeAll(List.of(A, B), (locks) -> {
				throw failure;
			}))
			.isSameAs(failure);
	}

	@Test
	void aLossIsToldInPlaceOfTheResult() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeAll(List.of(A, B, C), (locks) -> {
				this.provider.changeState(B.id(), LockState.LOST);
				return "done";
			}))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(B.id()));
	}

	@Test
	void aLossIsNotToldWhereItIsOnlySignalled() {
		LockRequest signalled = B.withOnLoss(LossPolicy.SIGNAL);
		assertThat(this.template.<String, RuntimeException>executeAll(List.of(A, signalled), (locks) -> {
			this.provider.changeState(B.id(), LockState.LOST);
			return "done";
		})).isEqualTo("done");
	}

	@Test
	void aLossWhileTheOthersAreWaitedForIsToldAndNothingRuns() throws Exception {
		LockGrant other = takenElsewhere(B);
		for (LossPolicy policy : LossPolicy.values()) {
			Background<LockHandles> group = Background
				.start(() -> this.template.acquireAll(List.of(A.withOnLoss(policy), B)));
			await().until(() -> this.heldLocks.waiting().stream().anyMatch((wait) -> wait.id().equals(B.id())));
			this.provider.changeState(A.id(), LockState.LOST);
			other.release();
			assertThatExceptionOfType(LockLostException.class).as(policy.name())
				.isThrownBy(group::join)
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(A.id()));
			other = takenElsewhere(B);
		}
		other.release();
	}

	@Test
	void anOutageFailsTheGroup() {
		this.provider.setAvailable(false);
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.acquireAll(List.of(A, B)))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(A.id()));
		this.provider.setAvailable(true);
		assertThat(this.told).containsExactly("waiting accounts[a]", "failed accounts[a]");
	}

	@Test
	void aGroupIsRefusedAtShutdown() {
		this.heldLocks.stop();
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.acquireAll(List.of(A, B)))
			.withMessageContaining("shutting down");
	}

	@Test
	void aTransactionKeepsAllOrNone() {
		TransactionSynchronizationManager.initSynchronization();
		TransactionSynchronizationManager.setActualTransactionActive(true);
		try {
			LockGrant other = takenElsewhere(B);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.template.acquireAll(waiting(Duration.ZERO, A, B)));
			assertThat(this.heldLocks.held()).isEmpty();
			other.release();
			this.template.acquireAll(List.of(A, B)).close();
			assertThat(this.heldLocks.held()).hasSize(2);
			TransactionSynchronizationManager.getSynchronizations()
				.forEach((open) -> open.afterCompletion(TransactionSynchronization.STATUS_COMMITTED));
			assertThat(this.heldLocks.held()).isEmpty();
		}
		finally {
			TransactionSynchronizationManager.setActualTransactionActive(false);
			TransactionSynchronizationManager.clearSynchronization();
		}
	}

	@Test
	void noRequestsAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquireAll(List.of()))
			.withMessage("'requests' must not be empty");
	}

	@Test
	void tooManyLocksAreRefusedAndTheirNumberNamed() {
		List<LockRequest> requests = IntStream.range(0, 65).mapToObj(LockRequest.exclusive("rows")::withKey).toList();
		this.template.acquireAll(requests.subList(0, 64)).close();
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquireAll(requests))
			.withMessageContaining("65 locks")
			.withMessageContaining("rows[0]")
			.withMessageContaining("at most 64")
			.withMessageContaining("interlock.max-keys");
	}

	@Test
	void repeatedLocksCountOnce() {
		List<LockRequest> requests = IntStream.range(0, 200).mapToObj((i) -> A.withKey(i % 2)).toList();
		this.template.acquireAll(requests).close();
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void groupsInAnyOrderNeverWaitForEachOther() throws Exception {
		List<List<LockRequest>> orders = List.of(List.of(A, B, C), List.of(C, B, A), List.of(B, C, A), List.of(C, A));
		int[] runs = new int[1];
		CountDownLatch start = new CountDownLatch(1);
		List<Background<?>> threads = new ArrayList<>();
		for (List<LockRequest> order : orders) {
			threads.add(Background.start(() -> {
				start.await();
				for (int i = 0; i < 500; i++) {
					this.template.executeAll(order, (locks) -> runs[0]++);
				}
				return true;
			}));
		}
		start.countDown();
		for (Background<?> thread : threads) {
			thread.join();
		}
		assertThat(runs[0]).isEqualTo(2000);
	}

	private LockGrant takenElsewhere(LockRequest request) {
		return this.provider.attempt(request.withWaitTime(Duration.ZERO), LockCaller.current())
			.outcome()
			.join()
			.orElseThrow();
	}

	private static Collection<LockRequest> waiting(Duration waitTime, LockRequest... requests) {
		return List.of(requests).stream().map((request) -> request.withWaitTime(waitTime)).toList();
	}

	private final class Recorder implements LockListener {

		@Override
		public void onWaiting(LockRequest request) {
			tell("waiting", request.id());
		}

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			tell("acquired", request.id());
		}

		@Override
		public void onNotAcquired(LockRequest request, Duration waited) {
			tell("not acquired", request.id());
		}

		@Override
		public void onFailure(LockRequest request, LockException failure) {
			tell("failed", request.id());
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			tell("released", handle.id());
		}

		private void tell(String what, LockId id) {
			LockTemplateGroupTests.this.told.add(what + " " + id);
		}

	}

}
