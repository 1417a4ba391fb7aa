package io.interlock.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The hooks that the test of a provider implements, and the steps of the contract.
 */
abstract class ProviderUnderContract {

	private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

	private final String name = "contract-" + UUID.randomUUID();

	private final List<LockProvider> instances = new ArrayList<>();

	/**
	 * Start another instance of an application: a provider of its own on the same store.
	 * @return the provider; one that is {@link AutoCloseable} is closed after the test
	 * @throws Exception if it cannot be started
	 */
	protected abstract LockProvider startInstance() throws Exception;

	/**
	 * Return the time after which the locks of an instance that vanishes are free.
	 * @return length of a lease or a session
	 */
	protected abstract Duration lease();

	/**
	 * Return how many contenders the store knows for a lock: holders and waiters.
	 * @param name name of the lock, which has no key
	 * @return the number, or -1 if the test cannot tell, as by default
	 * @throws Exception if the store cannot be asked
	 */
	protected int contenders(String name) throws Exception {
		return -1;
	}

	/**
	 * Cut an instance off from the store, which goes on to serve the others.
	 * @param instance the instance
	 * @return whether that was done; {@code false} by default
	 * @throws Exception if it fails
	 */
	protected boolean cutOff(LockProvider instance) throws Exception {
		return false;
	}

	/**
	 * Let time pass, for the instances and for the store. By default it really passes.
	 * The test of a provider whose clock, timer and store can be moved overrides this,
	 * and moves them: in steps, so that what is due in between is done in time.
	 * @param time how much
	 * @throws Exception if it fails
	 */
	protected void passTime(Duration time) throws Exception {
		assertThat(new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS)).isFalse();
	}

	/**
	 * Return the name of the lock that the current test uses.
	 * @return a name that no other test uses
	 */
	protected final String lockName() {
		return this.name;
	}

	/**
	 * Start an instance that ends with the test.
	 * @return the instance
	 * @throws Exception if it cannot be started
	 */
	protected final LockProvider instance() throws Exception {
		LockProvider instance = startInstance();
		this.instances.add(instance);
		return instance;
	}

	@AfterEach
	final void endInstances() throws Exception {
		for (LockProvider instance : this.instances) {
			if (instance instanceof AutoCloseable closeable) {
				closeable.close();
			}
		}
	}

	/**
	 * Wait for what takes an instance a moment, and has mostly happened.
	 */
	final ConditionFactory await() {
		return Awaitility.await().atMost(patience()).pollDelay(Duration.ZERO).pollInterval(POLL_INTERVAL);
	}

	final Duration patience() {
		return lease().plusSeconds(60);
	}

	final LockRequest exclusive() {
		return LockRequest.exclusive(this.name);
	}

	final LockRequest once(LockRequest request) {
		return request.withWaitTime(Duration.ZERO);
	}

	static LockAttempt begin(LockProvider instance, LockRequest request) {
		return instance.attempt(request, LockCaller.current());
	}

	final Optional<LockGrant> answer(LockAttempt attempt) throws Exception {
		return answer(attempt.outcome());
	}

	final <T> T answer(Future<T> future) throws Exception {
		return future.get(patience().toMillis(), TimeUnit.MILLISECONDS);
	}

	final LockGrant acquire(LockProvider instance, LockRequest request) throws Exception {
		return answer(begin(instance, request)).orElseThrow();
	}

	final void release(LockGrant grant) throws Exception {
		assertThat(grant.release().get(patience().toMillis(), TimeUnit.MILLISECONDS)).isEqualTo(LockState.RELEASED);
	}

	final void awaitQueued(LockAttempt attempt) {
		await().until(() -> attempt.phase() == LockAttempt.Phase.QUEUED);
	}

	/**
	 * Let time pass until something has happened, and wait for what takes the system a
	 * while.
	 */
	final void passTimeUntil(Callable<Boolean> happened) throws Exception {
		Duration step = lease().dividedBy(50);
		Duration passed = Duration.ZERO;
		boolean done = happened.call();
		while (!done && passed.compareTo(patience()) < 0) {
			passTime(step);
			passed = passed.plus(step);
			done = happened.call();
		}
		if (!done) {
			await().until(happened);
		}
	}

	final void awaitNothingLeft() {
		await().untilAsserted(() -> assertThat(contenders(this.name)).isLessThanOrEqualTo(0));
	}

}
