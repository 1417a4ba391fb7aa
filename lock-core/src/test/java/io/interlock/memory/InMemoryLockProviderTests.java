package io.interlock.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link InMemoryLockProvider}.
 */
@Timeout(60)
class InMemoryLockProviderTests {

	private static final LockId ID = new LockId("orders", null);

	private static final LockRequest WRITER = LockRequest.exclusive("orders").withWaitTime(LockRequest.FOREVER);

	private static final LockRequest READER = LockRequest.shared("orders").withWaitTime(LockRequest.FOREVER);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	@Test
	void letsAsManyInAsThereArePermits() {
		LockRequest two = LockRequest.semaphore("orders", 2);
		LockGrant first = granted(ask(two));
		LockGrant second = granted(ask(two));
		LockAttempt third = ask(two);
		LockAttempt writer = ask(WRITER);
		assertWaiting(third, writer);
		second.release();
		LockGrant admitted = granted(third);
		first.release();
		assertWaiting(writer);
		admitted.release();
		granted(writer);
	}

	@Test
	void smallestNumberOfPermitsCounts() {
		granted(ask(LockRequest.semaphore("orders", 3)));
		granted(ask(LockRequest.semaphore("orders", 2)));
		assertWaiting(ask(LockRequest.semaphore("orders", 3)));
	}

	@Test
	void grantsInTheOrderOfArrival() {
		LockGrant first = granted(ask(WRITER));
		LockAttempt reader = ask(READER);
		LockAttempt sharing = ask(READER);
		LockAttempt writer = ask(WRITER);
		LockAttempt last = ask(READER);
		assertWaiting(reader, sharing, writer, last);
		first.release();
		LockGrant read = granted(reader);
		LockGrant shared = granted(sharing);
		assertWaiting(writer, last);
		read.release();
		assertWaiting(writer, last);
		shared.release();
		LockGrant written = granted(writer);
		assertWaiting(last);
		written.release();
		granted(last).release();
		assertNothingIsLeft();
	}

	@Test
	void locksOfDifferentIdsAreIndependent() {
		granted(ask(WRITER));
		granted(ask(WRITER.withKey("42")));
	}

	@Test
	void tokensOnlyGrowAndAreLargerThanThoseOfAnEarlierStart() {
		long before = (System.currentTimeMillis() - 60_000) * 1000;
		for (LockRequest request : List.of(WRITER, READER, WRITER.withKey("42"), LockRequest.exclusive("stock"))) {
			LockGrant grant = granted(ask(request));
			assertThat(grant.fencingToken()).isGreaterThan(before);
			before = grant.fencingToken();
			grant.release();
		}
	}

	@Test
	void tokensGrowInTheOrderOfGrantsAndNotOfArrival() {
		LockGrant first = granted(ask(WRITER));
		LockAttempt second = ask(WRITER);
		LockAttempt inFront = this.provider.attempt(WRITER, LockCaller.current().retrying());
		first.release();
		assertWaiting(second);
		LockGrant retried = granted(inFront);
		retried.release();
		assertThat(granted(second).fencingToken()).isGreaterThan(retried.fencingToken());
	}

	@Test
	void tellsOfContentionThatWasMet() {
		LockGrant first = granted(ask(WRITER));
		LockAttempt second = ask(WRITER);
		first.release();
		assertThat(first.contended()).isFalse();
		assertThat(granted(second).contended()).isTrue();
	}

	@Test
	void aTryDoesNotWait() {
		LockGrant holder = granted(ask(READER));
		LockAttempt writer = ask(WRITER.withWaitTime(Duration.ZERO));
		assertThat(writer.outcome().join()).isEmpty();
		LockGrant reader = granted(ask(READER.withWaitTime(Duration.ZERO)));
		LockAttempt waiting = ask(WRITER);
		assertThat(ask(READER.withWaitTime(Duration.ZERO)).outcome().join()).as("behind a writer").isEmpty();
		holder.release();
		reader.release();
		granted(waiting).release();
		assertNothingIsLeft();
	}

	@Test
	void anAbandonedAttemptLetsThoseBehindItIn() {
		LockGrant holder = granted(ask(READER));
		LockAttempt writer = ask(WRITER);
		LockAttempt reader = ask(READER);
		writer.abandon();
		assertThat(writer.outcome()).isCancelled();
		granted(reader).release();
		holder.release();
		assertNothingIsLeft();
	}

	@Test
	void anAttemptThatIsAbandonedAfterItsGrantKeepsIt() {
		LockAttempt attempt = ask(WRITER);
		attempt.abandon();
		LockGrant grant = granted(attempt);
		assertThat(grant.state() == LockState.VALID).isTrue();
		assertThat(ask(WRITER.withWaitTime(Duration.ZERO)).outcome().join()).isEmpty();
		grant.release();
		assertNothingIsLeft();
	}

	@Test
	void endsOnce() {
		LockGrant grant = granted(ask(WRITER));
		assertThat(grant.release()).isCompletedWithValue(LockState.RELEASED);
		LockGrant next = granted(ask(WRITER));
		assertThat(grant.release()).isCompletedWithValue(LockState.RELEASED);
		assertThat(next.state() == LockState.VALID).isTrue();
		assertThatIllegalStateException().isThrownBy(grant::verify);
	}

	@Test
	void aLossIsKnownBeforeTheNextIsGranted() {
		LockGrant holder = granted(ask(WRITER));
		List<LockState> told = new ArrayList<>();
		holder.onStateChange(told::add);
		List<LockState> seen = new ArrayList<>();
		LockAttempt next = ask(WRITER);
		next.outcome().thenAccept((grant) -> seen.add(holder.state()));
		this.provider.changeState(ID, LockState.LOST);
		assertThat(told).containsExactly(LockState.LOST);
		assertThat(seen).containsExactly(LockState.LOST);
		assertThat(holder.release()).isCompletedWithValue(LockState.LOST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(holder::verify);
		LockGrant successor = granted(next);
		assertThat(successor.state() == LockState.VALID).isTrue();
		assertThat(ask(WRITER.withWaitTime(Duration.ZERO)).outcome().join()).isEmpty();
		successor.release();
		assertNothingIsLeft();
	}

	@Test
	void aSuspensionIsToldWhenItBeginsAndWhenItEnds() {
		LockGrant holder = granted(ask(WRITER));
		List<LockState> told = new ArrayList<>();
		holder.onStateChange(told::add);
		this.provider.changeState(ID, LockState.UNCONFIRMED);
		this.provider.changeState(ID, LockState.UNCONFIRMED);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(holder::verify);
		List<LockState> toldLate = new ArrayList<>();
		granted(ask(WRITER.withKey("42"))).onStateChange(toldLate::add);
		this.provider.changeState(new LockId("orders", "42"), LockState.UNCONFIRMED);
		this.provider.changeState(ID, LockState.VALID);
		holder.verify();
		holder.release();
		this.provider.changeState(ID, LockState.UNCONFIRMED);
		assertThat(told).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
		assertThat(toldLate).containsExactly(LockState.UNCONFIRMED);
	}

	@Test
	void aListenerThatComesLateIsToldAtOnce() {
		LockGrant holder = granted(ask(WRITER));
		this.provider.changeState(ID, LockState.LOST);
		List<LockState> told = new ArrayList<>();
		holder.onStateChange(told::add);
		assertThat(told).containsExactly(LockState.LOST);
	}

	@Test
	void anOutageFailsWaitersAndAttemptsAndSuspendsHolders() {
		LockGrant holder = granted(ask(WRITER));
		LockAttempt waiting = ask(WRITER);
		this.provider.setAvailable(false);
		for (LockAttempt attempt : List.of(waiting, ask(WRITER), ask(LockRequest.exclusive("stock")))) {
			assertThat(attempt.outcome()).isCompletedExceptionally();
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> new LockTemplate((request, owner) -> attempt).acquire(WRITER));
		}
		assertThat(holder.state()).isEqualTo(LockState.UNCONFIRMED);
		this.provider.setAvailable(true);
		assertThat(holder.state() == LockState.VALID).isTrue();
		holder.release();
		granted(ask(WRITER)).release();
		assertNothingIsLeft();
	}

	@Test
	void contentionIsToldOnceToThoseInFront() {
		AtomicInteger told = new AtomicInteger();
		LockGrant reader = granted(ask(READER));
		reader.onContention(told::incrementAndGet);
		LockGrant other = granted(ask(READER));
		assertThat(told).as("another that shares").hasValue(0);
		ask(WRITER);
		ask(WRITER);
		assertThat(told).hasValue(1);
		AtomicInteger toldLate = new AtomicInteger();
		other.onContention(toldLate::incrementAndGet);
		assertThat(toldLate).hasValue(1);
		other.release();
		other.onContention(toldLate::incrementAndGet);
		assertThat(toldLate).hasValue(1);
	}

	@Test
	void aGrantThatLingersGoesToAnotherInstanceThatAsks() throws Exception {
		QueueingLockProvider queue = new QueueingLockProvider(this.provider,
				new QueueSettings(true, Map.of(), Duration.ofMinutes(10), 3, 3, Duration.ofMinutes(10), Map.of()));
		queue.attempt(WRITER, LockCaller.current()).outcome().get().orElseThrow().release();
		assertThat(ask(WRITER.withWaitTime(Duration.ZERO)).outcome().join()).as("it lingers").isEmpty();
		granted(ask(WRITER)).release();
		assertNothingIsLeft();
	}

	@Test
	void theQueueAndTheTemplateMeetAnotherInstance() throws Exception {
		LockTemplate template = new LockTemplate(new QueueingLockProvider(this.provider, QueueSettings.defaults()));
		LockGrant another = granted(ask(WRITER));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> template.acquire(WRITER.withWaitTime(Duration.ofMillis(20))));
		assertThat(template.tryAcquire(WRITER.withWaitTime(Duration.ZERO))).isEmpty();
		Background<Long> waiter = Background
			.start(() -> template.<Long, Exception>execute(WRITER, (lock) -> lock.fencingToken()));
		another.release();
		assertThat(waiter.join()).isGreaterThan(another.fencingToken());
		assertNothingIsLeft();
	}

	@Test
	void excludesWhateverIsAbandonedLostOrSuspended() throws Exception {
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger readers = new AtomicInteger();
		List<Background<Boolean>> threads = new ArrayList<>();
		for (int thread = 0; thread < 4; thread++) {
			threads.add(Background.start(() -> {
				ThreadLocalRandom random = ThreadLocalRandom.current();
				for (int round = 0; round < 20_000; round++) {
					boolean writes = random.nextBoolean();
					LockAttempt attempt = ask(writes ? WRITER : READER);
					if (random.nextInt(4) == 0) {
						attempt.abandon();
					}
					attempt.outcome().exceptionally((failure) -> Optional.empty()).get().ifPresent((grant) -> {
						(writes ? writers : readers).incrementAndGet();
						assertThat(writers.get()).isEqualTo(writes ? 1 : 0);
						assertThat(writes && readers.get() > 0).isFalse();
						(writes ? writers : readers).decrementAndGet();
						grant.release();
					});
					if (random.nextInt(8) == 0) {
						this.provider.changeState(ID, LockState.UNCONFIRMED);
						this.provider.changeState(ID, LockState.VALID);
					}
				}
				return true;
			}));
		}
		for (Background<Boolean> thread : threads) {
			await().atMost(Duration.ofSeconds(50)).until(() -> !thread.isRunning());
			thread.join();
		}
		assertNothingIsLeft();
	}

	@Test
	void manyWaitersAreServedWithoutAStackForEach() {
		LockGrant holder = granted(ask(WRITER));
		List<LockAttempt> waiting = new ArrayList<>();
		for (int waiter = 0; waiter < 10_000; waiter++) {
			waiting.add(ask(READER));
		}
		holder.release();
		waiting.forEach((attempt) -> granted(attempt).release());
		assertNothingIsLeft();
	}

	/** As those of two contexts that take turns with one database. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tokensOfAProviderThatWasMadeEarlierAreNotBehind(boolean excluding) {
		InMemoryLockProvider earlier = excluding ? this.provider : InMemoryLockProvider.excludingNothing();
		InMemoryLockProvider later = excluding ? new InMemoryLockProvider() : InMemoryLockProvider.excludingNothing();
		long before = 0;
		for (int turn = 0; turn < 1000; turn++) {
			LockGrant grant = granted(((turn % 2 == 0) ? earlier : later).attempt(WRITER, LockCaller.current()));
			assertThat(grant.fencingToken()).isGreaterThan(before);
			before = grant.fencingToken();
			grant.release();
		}
	}

	@Test
	void excludesNothingOnDemand() {
		InMemoryLockProvider none = InMemoryLockProvider.excludingNothing();
		LockGrant first = granted(none.attempt(WRITER, LockCaller.current()));
		LockGrant second = granted(none.attempt(WRITER.withWaitTime(Duration.ZERO), LockCaller.current()));
		LockGrant third = granted(none.attempt(READER, LockCaller.current()));
		assertThat(List.of(first, second, third)).allMatch((grant) -> grant.state() == LockState.VALID)
			.noneMatch(LockGrant::contended);
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
		assertThat(first.release()).isCompletedWithValue(LockState.RELEASED);
		assertThat(second.state() == LockState.VALID).isTrue();
	}

	private LockAttempt ask(LockRequest request) {
		return this.provider.attempt(request, LockCaller.current());
	}

	private static LockGrant granted(LockAttempt attempt) {
		assertThat(attempt.outcome()).isCompleted();
		return attempt.outcome().join().orElseThrow();
	}

	private static void assertWaiting(LockAttempt... attempts) {
		assertThat(attempts).allMatch((attempt) -> !attempt.outcome().isDone())
			.allMatch((attempt) -> attempt.phase() == LockAttempt.Phase.QUEUED);
	}

	private void assertNothingIsLeft() {
		assertThat(this.provider).extracting("lines").asInstanceOf(InstanceOfAssertFactories.MAP).isEmpty();
	}

}
