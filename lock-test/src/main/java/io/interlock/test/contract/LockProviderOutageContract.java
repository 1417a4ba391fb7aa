package io.interlock.test.contract;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.template.LockTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What every {@link LockProvider} owes while its store is down and when it is up again,
 * beside the rest of the contract.
 *
 * @since 0.1.0
 */
public abstract class LockProviderOutageContract extends LockProviderContract {

	private boolean stopped;

	/**
	 * Stop the store, so that no instance can reach it.
	 * @throws Exception if it cannot be stopped
	 */
	protected abstract void stopStore() throws Exception;

	/**
	 * Start the store again, with the data that it had.
	 * @throws Exception if it cannot be started
	 */
	protected abstract void startStore() throws Exception;

	private void stop() throws Exception {
		this.stopped = true;
		stopStore();
	}

	private void start() throws Exception {
		startStore();
		this.stopped = false;
	}

	@AfterEach
	final void startStoreAfterFailure() throws Exception {
		if (this.stopped) {
			start();
		}
	}

	@Test
	void outageIsNotContention() throws Exception {
		LockProvider instance = instance();
		LockGrant grant = acquire(instance(), exclusive());
		LockTemplate template = template(instance, LockTime.system());
		LockTemplate untilConnecting = template(instance, new TimeUntilPhase(LockAttempt.Phase.CONNECTING));
		assertThat(template.tryAcquire(exclusive())).isEmpty();
		stop();
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> untilConnecting.tryAcquire(exclusive().withWaitTime(Duration.ofSeconds(2))))
			.withMessageContaining(lockName());
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> untilConnecting.tryAcquire(exclusive()))
			.withMessageContaining(lockName());
		start();
		grant.release();
		await().ignoreExceptions()
			.untilAsserted(() -> assertThat(template.tryAcquire(exclusive())).hasValueSatisfying((lock) -> {
				assertThat(lock.fencingToken()).isGreaterThan(grant.fencingToken());
				lock.close();
			}));
	}

	@Test
	void releaseDuringAnOutageReturnsAtOnce() throws Exception {
		LockGrant grant = acquire(instance(), exclusive());
		stop();
		long before = System.nanoTime();
		CompletableFuture<LockState> release = grant.release();
		assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
		assertThat(grant.state() == LockState.VALID).isFalse();
		start();
		assertThat(release.get(patience().toMillis(), TimeUnit.MILLISECONDS)).isIn(LockState.RELEASED, LockState.LOST);
		awaitNothingLeft();
	}

	@Test
	void holdIsNotValidWhileTheStoreIsSilent() throws Exception {
		LockGrant grant = acquire(instance(), exclusive());
		stop();
		passTimeUntil(() -> grant.state() != LockState.VALID);
		start();
		passTimeUntil(() -> grant.state() == LockState.VALID || grant.state() == LockState.LOST);
		LockProvider other = instance();
		if (retry(other).isPresent()) {
			assertThat(grant.state() == LockState.LOST).isTrue();
		}
		else if (grant.state() == LockState.LOST) {
			// The holder knows before the store lets another contender in.
			passTimeUntil(() -> retry(other).isPresent());
		}
	}

	private Optional<LockGrant> retry(LockProvider instance) throws Exception {
		return answer(begin(instance, once(exclusive())));
	}

	@Test
	void restartGrantsNothingTwice() throws Exception {
		LockGrant grant = acquire(instance(), exclusive());
		LockAttempt waiting = begin(instance(), exclusive());
		awaitQueued(waiting);
		CompletableFuture<Boolean> validAtNextGrant = waiting.outcome()
			.handle((next, failure) -> grant.state() == LockState.VALID && next != null && next.isPresent());
		stop();
		start();
		await().until(() -> grant.state() == LockState.VALID || grant.state() == LockState.LOST
				|| waiting.outcome().isDone());
		grant.release();
		assertThat(validAtNextGrant.get(patience().toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		if (waiting.outcome().isCompletedExceptionally()) {
			assertThat(waiting.outcome()).failsWithin(Duration.ofSeconds(1))
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(LockServiceUnavailableException.class);
		}
		else {
			LockGrant next = answer(waiting).orElseThrow();
			assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
			next.release();
		}
	}

}
