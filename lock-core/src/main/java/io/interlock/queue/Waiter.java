package io.interlock.queue;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.provider.AbstractLockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * A caller in a queue. Invariant: it is decided once, by the queue, which grants or
 * refuses, or by the caller, which gives up. The decision is the completion of the
 * outcome, which the queue runs after it has let go of its lock. A caller that gives up
 * too late runs it too, so it waits for no other thread.
 */
final class Waiter extends AbstractLockAttempt {

	/** Longest answer of healthy servers, the default {@code interlock.try-timeout}. */
	private static final long LONGEST_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LockRequest request;

	private final LockCaller caller;

	private final LockQueue queue;

	private final long since = System.nanoTime();

	Waiter(LockRequest request, LockCaller caller, LockQueue queue) {
		this.request = request;
		this.caller = caller;
		this.queue = queue;
	}

	LockRequest request() {
		return this.request;
	}

	LockCaller caller() {
		return this.caller;
	}

	LockMode mode() {
		return this.request.mode();
	}

	/**
	 * {@return whether this waiter has waited for other holders rather than for the
	 * servers} That is so if it was queued behind holders for longer than the servers
	 * have been asked since, and if they were asked for less than their longest response
	 * time. Time after the wait time does not count, because a caller may wake up late.
	 * @param until the time at which another holder was last known
	 */
	boolean stoodBehindOthers(long until) {
		Duration waitTime = this.request.waitTime();
		long limit = (waitTime != null) ? TimeUnit.NANOSECONDS.convert(waitTime) : Long.MAX_VALUE;
		long waited = Math.min(System.nanoTime() - this.since, limit);
		long behind = until - this.since;
		return waited - behind < Math.min(behind, LONGEST_ANSWER_NANOS);
	}

	boolean cameBefore(long instant) {
		return this.since - instant < 0;
	}

	/** Return whether this answer counts. Empty: others hold the lock. */
	boolean answer(Optional<LockGrant> grant, Effects effects) {
		return decide(() -> outcome().complete(grant), effects);
	}

	void fail(Throwable failure, Effects effects) {
		decide(() -> outcome().completeExceptionally(failure), effects);
	}

	private boolean decide(Runnable completion, Effects effects) {
		return decide(completion) && effects.add(this::complete);
	}

	@Override
	public Phase phase() {
		return this.queue.phase(this);
	}

	@Override
	public @Nullable Throwable obstacle() {
		return this.queue.obstacle();
	}

	@Override
	public void abandon() {
		boolean first = decide(() -> outcome().cancel(false));
		complete();
		if (first) {
			this.queue.remove(this);
		}
	}

}
