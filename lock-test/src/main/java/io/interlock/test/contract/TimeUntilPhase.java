package io.interlock.test.contract;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockGrant;
import io.interlock.template.LockTime;

/**
 * The time of the system, in which the deadline of a wait comes as soon as its attempt is
 * in a phase: what the wait ends with depends on that, and not on how long it was.
 */
final class TimeUntilPhase extends LockTime {

	private final LockAttempt.Phase phase;

	TimeUntilPhase(LockAttempt.Phase phase) {
		this.phase = phase;
	}

	@Override
	protected long nanoTime() {
		return System.nanoTime();
	}

	@Override
	protected Future<?> schedule(Runnable task, long nanos) {
		return CompletableFuture.runAsync(task, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS));
	}

	@Override
	protected Optional<LockGrant> await(LockRequest request, LockAttempt attempt, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		long deadline = System.nanoTime() + nanos;
		CountDownLatch decided = new CountDownLatch(1);
		attempt.outcome().whenComplete((grant, failure) -> decided.countDown());
		while (attempt.phase() != this.phase && System.nanoTime() - deadline < 0
				&& !decided.await(1, TimeUnit.MILLISECONDS)) {
			// Neither of them yet.
		}
		return attempt.outcome().get(0, TimeUnit.NANOSECONDS);
	}

}
