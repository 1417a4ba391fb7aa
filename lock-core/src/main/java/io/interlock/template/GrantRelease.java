package io.interlock.template;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockId;
import io.interlock.LockState;
import io.interlock.provider.LockGrant;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The release of the grant of a hold, which reports a loss that it finds. It has begun
 * when this object is there, and its answer is awaited behind that. Actions for a loss
 * run on another thread until it is awaited no more. Invariant: the end is told at the
 * latest then.
 */
final class GrantRelease {

	private static final Log logger = LogFactory.getLog(GrantRelease.class);

	/** Limit of the wait for actions of its own loss, which may wait for its end. */
	private static final long ACTIONS_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LockId id;

	private final Actions<LockState> actions;

	private final Duration timeout;

	private final Runnable ended;

	private final CompletableFuture<Void> answer;

	private volatile boolean closing = true;

	/** Begin to release a grant. A timeout of zero does not wait. */
	GrantRelease(LockGrant grant, Actions<LockState> actions, Duration timeout, Runnable ended) {
		this.id = grant.request().id();
		this.actions = actions;
		this.timeout = timeout;
		this.ended = ended;
		boolean begun = false;
		try {
			this.answer = begin(grant);
			begun = true;
		}
		finally {
			if (!begun || timeout.isZero()) {
				awaitNoMore();
			}
		}
	}

	private CompletableFuture<Void> begin(LockGrant grant) {
		try {
			return grant.release().thenAccept(this::answered);
		}
		catch (RuntimeException ex) {
			warn(ex);
			return CompletableFuture.completedFuture(null);
		}
	}

	private void answered(LockState state) {
		if (state == LockState.LOST) {
			this.actions.tellLast(state, this.closing ? AsyncThreads::tell : Runnable::run);
		}
		this.ended.run();
	}

	/** Wait for the answer until the timeout has passed since a moment. */
	void await(long since) {
		try {
			if (!this.answer.isDone() && !this.timeout.isZero()) {
				awaitAnswer(since + TimeUnit.NANOSECONDS.convert(this.timeout));
			}
		}
		catch (ExecutionException ex) {
			warn(ex);
		}
		finally {
			awaitNoMore();
		}
	}

	private void awaitNoMore() {
		this.closing = false;
		this.ended.run();
	}

	private void awaitAnswer(long deadline) throws ExecutionException {
		boolean interrupted = false;
		try {
			while (!this.answer.isDone()) {
				try {
					this.answer.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (TimeoutException ex) {
			logger.warn("Lock %s was not released within %s; the release goes on in the background".formatted(this.id,
					this.timeout));
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** A caller that closes is about to ask whether the lock was lost. */
	void awaitActions(long since) {
		this.actions.awaitLastTold(ACTIONS_NANOS - (System.nanoTime() - since));
	}

	private void warn(Throwable failure) {
		logger.warn("Releasing lock %s failed; what the body returned or threw is not affected".formatted(this.id),
				failure);
	}

}
