package io.interlock.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.template.LockTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What every {@link LockProvider} owes, whatever it stands on. The test of a provider
 * extends this class, and inherits its tests. What a provider declares not to be able to
 * do is not tested, and neither is what needs a hook that the test does not override:
 * those tests are reported as skipped. {@link LockProviderOutageContract} has the rest,
 * for providers with a store that can be stopped.
 *
 * @since 0.1.0
 */
public abstract class LockProviderContract extends KeepingContract {

	private static final int ABANDONED = 100;

	private static final int THREADS = 4;

	private static final int INCREMENTS = 10;

	private int counter;

	@Test
	void grantTellsWhatIsHeld() throws Exception {
		LockGrant grant = acquire(instance(), exclusive());
		assertThat(grant.request().id()).isEqualTo(exclusive().id());
		assertThat(grant.request().mode()).isEqualTo(exclusive().mode());
		assertThat(grant.state()).isEqualTo(LockState.VALID);
		assertThat(grant.isCovered()).isTrue();
		release(grant);
		assertThat(grant.state()).isEqualTo(LockState.RELEASED);
		assertThat(grant.isCovered()).isFalse();
	}

	@Test
	void holderKeepsOtherInstancesOut() throws Exception {
		LockProvider other = instance();
		LockGrant grant = acquire(instance(), exclusive());
		assertThat(answer(begin(other, once(exclusive())))).isEmpty();
		assertThat(answer(other.attempt(once(exclusive()), LockCaller.current().expectingFree()))).isEmpty();
		release(grant);
		release(acquire(other, once(exclusive())));
		awaitNothingLeft();
	}

	@Test
	void keysOfOneNameAreLocksOfTheirOwn() throws Exception {
		LockProvider other = instance();
		LockGrant grant = acquire(instance(), exclusive().withKey("a"));
		assertThat(answer(begin(other, once(exclusive().withKey("a"))))).isEmpty();
		release(acquire(other, once(exclusive().withKey("b"))));
		release(acquire(other, once(exclusive().withKey("A"))));
		release(acquire(other, once(exclusive())));
		release(grant);
	}

	@Test
	void waiterIsGrantedAfterTheRelease() throws Exception {
		LockGrant grant = acquire(instance(), exclusive());
		LockAttempt waiting = begin(instance(), exclusive());
		awaitQueued(waiting);
		assertThat(waiting.outcome()).isNotDone();
		release(grant);
		release(answer(waiting).orElseThrow());
		awaitNothingLeft();
	}

	@Test
	void waitersHaveTheirTurnInTheOrderOfArrival() throws Exception {
		LockProvider first = instance();
		assumeTrue(first.capabilities().fairBetweenInstances(), "The provider is not fair between instances");
		LockGrant grant = acquire(first, exclusive());
		LockAttempt other = begin(instance(), exclusive());
		awaitQueued(other);
		LockAttempt again = begin(first, exclusive());
		awaitQueued(again);
		release(grant);
		LockGrant second = answer(other).orElseThrow();
		assertThat(again.outcome()).isNotDone();
		assertThat(answer(begin(first, once(exclusive())))).isEmpty();
		release(second);
		release(answer(again).orElseThrow());
	}

	@Test
	void deadlineBehindOthersIsContentionAndLeavesNothing() throws Exception {
		LockProvider instance = instance();
		LockTemplate template = template(instance, LockTime.system());
		template.acquire(exclusive()).close();
		LockGrant grant = acquire(instance(), exclusive());
		assertThat(template(instance, new TimeUntilPhase(LockAttempt.Phase.QUEUED))
			.tryAcquire(exclusive().withWaitTime(Duration.ofMinutes(1)))).isEmpty();
		release(grant);
		awaitNothingLeft();
		template.acquire(exclusive()).close();
	}

	/**
	 * Return a template whose tries wait for a store that answers slowly.
	 */
	static LockTemplate template(LockProvider instance, LockTime time) {
		LockSettings patient = new LockSettings(Duration.ofSeconds(30), Map.of(), Duration.ofSeconds(10));
		return new LockTemplate(instance, patient, new HeldLocks(time), List.of());
	}

	@Test
	void abandonedAttemptsLeaveNothing() throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		List<LockAttempt> attempts = new ArrayList<>();
		for (int i = 0; i < ABANDONED; i++) {
			LockAttempt attempt = begin((i % 2 == 0) ? instance : other, exclusive());
			attempts.add(attempt);
			if (ThreadLocalRandom.current().nextBoolean()) {
				new CountDownLatch(1).await(ThreadLocalRandom.current().nextInt(3_000), TimeUnit.MICROSECONDS);
			}
			LockAttempt abandoned = attempts.get(ThreadLocalRandom.current().nextInt(attempts.size()));
			abandoned.abandon();
			assertThat(abandoned.outcome()).isDone();
		}
		for (LockAttempt attempt : attempts) {
			attempt.abandon();
			assertThat(attempt.outcome()).isDone();
			if (!attempt.outcome().isCancelled()) {
				attempt.outcome().join().ifPresent(LockGrant::release);
			}
		}
		awaitNothingLeft();
		release(acquire(other, exclusive()));
	}

	@Test
	void tokensGrow() throws Exception {
		List<LockProvider> both = List.of(instance(), instance());
		long last = Long.MIN_VALUE;
		for (int i = 0; i < 10; i++) {
			LockGrant grant = acquire(both.get(i % 2), exclusive());
			assertThat(grant.fencingToken()).isGreaterThan(last);
			last = grant.fencingToken();
			release(grant);
		}
		LockProvider fresh = instance();
		LockGrant grant = acquire(fresh, exclusive());
		assertThat(grant.fencingToken()).isGreaterThan(last);
		release(grant);
	}

	@Test
	void verifiesUntilTheRelease() throws Exception {
		LockGrant grant = acquire(instance(), exclusive());
		grant.verify();
		release(grant);
		assertThatIllegalStateException().isThrownBy(grant::verify);
		assertThat(grant.release()).isCompletedWithValue(LockState.RELEASED);
	}

	@Test
	void listenerThatComesAfterTheReleaseIsNotCalled() throws Exception {
		LockGrant grant = acquire(instance(), exclusive());
		release(grant);
		List<LockState> states = new CopyOnWriteArrayList<>();
		grant.onStateChange(states::add);
		assertThat(states).isEmpty();
	}

	@Test
	void holdOutlivesItsLease() throws Exception {
		LockProvider other = instance();
		LockGrant grant = acquire(instance(), exclusive());
		List<LockState> states = new CopyOnWriteArrayList<>();
		grant.onStateChange(states::add);
		LockAttempt waiting = begin(other, exclusive());
		passTime(lease().multipliedBy(3).dividedBy(2));
		// A machine that stalls may leave a renewal late, which ends by itself.
		await().untilAsserted(() -> assertThat(grant.state()).isEqualTo(LockState.VALID));
		assertThat(states).doesNotContain(LockState.LOST);
		assertThat(waiting.outcome()).isNotDone();
		grant.verify();
		release(grant);
		passTimeUntil(waiting.outcome()::isDone);
		release(answer(waiting).orElseThrow());
	}

	@Test
	void lossIsKnownBeforeTheNextGrant() throws Exception {
		LockProvider instance = instance();
		LockGrant grant = acquire(instance, exclusive());
		List<LockState> states = new CopyOnWriteArrayList<>();
		grant.onStateChange(states::add);
		LockAttempt waiting = begin(instance(), exclusive());
		// A machine that stalls may end the hold by itself, which shows the same.
		passTimeUntil(() -> waiting.phase() == LockAttempt.Phase.QUEUED || waiting.outcome().isDone());
		CompletableFuture<LockState> stateAtNextGrant = waiting.outcome().thenApply((next) -> grant.state());
		assumeTrue(cutOff(instance), "The test cannot cut an instance off");
		passTimeUntil(waiting.outcome()::isDone);
		LockGrant next = answer(waiting).orElseThrow();
		// The outcome wakes its waiter before it runs what depends on it.
		assertThat(stateAtNextGrant).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(LockState.LOST);
		assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
		await().untilAsserted(() -> assertThat(states).endsWith(LockState.LOST).containsOnlyOnce(LockState.LOST));
		assertThat(grant.state() == LockState.VALID).isFalse();
		assertThat(grant.isCovered()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(grant::verify);
		assertThat(grant.release().get(1, TimeUnit.SECONDS)).isEqualTo(LockState.LOST);
		assertThat(next.state() == LockState.VALID).isTrue();
		release(next);
	}

	@Test
	void instanceThatIsCutOffTellsAnOutageAndNoContention() throws Exception {
		LockProvider instance = instance();
		release(acquire(instance, exclusive()));
		assumeTrue(cutOff(instance) && instance instanceof AutoCloseable, "The test cannot cut an instance off");
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> new LockTemplate(instance).tryAcquire(exclusive().withWaitTime(Duration.ofMillis(500))));
	}

	@Test
	void incrementsAreNotLost() throws Exception {
		List<LockTemplate> templates = List.of(new LockTemplate(instance()), new LockTemplate(instance()));
		ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
		try {
			List<Callable<Boolean>> bodies = new ArrayList<>();
			for (int thread = 0; thread < 2 * THREADS; thread++) {
				LockTemplate template = templates.get(thread % 2);
				bodies.add(() -> increment(template));
			}
			for (Future<Boolean> body : threads.invokeAll(bodies)) {
				assertThat(body.get()).isTrue();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(this.counter).isEqualTo(2 * THREADS * INCREMENTS);
		awaitNothingLeft();
	}

	private boolean increment(LockTemplate template) {
		for (int i = 0; i < INCREMENTS; i++) {
			template.executeWithoutResult(exclusive().withWaitTime(Duration.ofMinutes(2)), (lock) -> {
				int before = this.counter;
				Thread.yield();
				this.counter = before + 1;
			});
		}
		return true;
	}

}
