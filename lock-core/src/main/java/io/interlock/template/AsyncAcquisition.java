package io.interlock.template;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition without a waiting thread. Its steps run one after the other, on threads
 * that may block: the end of an attempt, or a check of a grant whose connection is
 * suspended. The deadline, or a caller that gives up, abandons the present attempt, which
 * starts the next step. Invariant: it is answered once, on such a thread, and when it is,
 * its grant was answered, released, or never made.
 */
final class AsyncAcquisition {

	private final Acquisition acquisition;

	private final LockProvider provider;

	private final LockCaller caller = LockCaller.current();

	private final CompletableFuture<Optional<LockGrant>> answer = new CompletableFuture<>();

	private volatile @Nullable LockAttempt attempt;

	private volatile @Nullable Phase phaseAtDeadline;

	private volatile @Nullable Throwable obstacle;

	private volatile boolean givenUp;

	private int retries;

	AsyncAcquisition(LockRequest request, Duration tryTimeout, HeldLocks heldLocks, LockProvider provider) {
		this.acquisition = new Acquisition(request, tryTimeout, heldLocks, false);
		this.provider = provider;
	}

	/** Return the grant, valid or lost, or empty if others hold the lock. */
	CompletableFuture<Optional<LockGrant>> answer() {
		return this.answer;
	}

	Acquisition acquisition() {
		return this.acquisition;
	}

	void start() {
		try {
			attempt(this.caller);
		}
		catch (RuntimeException ex) {
			AsyncThreads.execute(() -> this.answer.completeExceptionally(ex));
		}
		catch (Error ex) {
			// There may be no other thread to answer on.
			this.answer.completeExceptionally(ex);
		}
	}

	void giveUp() {
		this.givenUp = true;
		LockAttempt begun = this.attempt;
		if (begun != null && !this.answer.isDone()) {
			begun.abandon();
		}
	}

	private void attempt(LockCaller caller) {
		LockAttempt begun = this.acquisition.begin(this.provider, caller);
		this.attempt = begun;
		if (this.givenUp) {
			begun.abandon();
		}
		Future<?> deadline = startDeadline(begun);
		begun.outcome().whenComplete((grant, failure) -> {
			deadline.cancel(false);
			AsyncThreads.execute(() -> step(() -> ended(grant, failure)));
		});
	}

	private Future<?> startDeadline(LockAttempt attempt) {
		try {
			return this.acquisition.onDeadline(attempt, () -> AsyncThreads.execute(() -> deadlinePassed(attempt)));
		}
		catch (RuntimeException | Error ex) {
			Acquisition.discard(attempt);
			throw ex;
		}
	}

	private void deadlinePassed(LockAttempt attempt) {
		try {
			this.obstacle = attempt.obstacle();
			this.phaseAtDeadline = attempt.phase();
		}
		finally {
			attempt.abandon();
		}
	}

	private void step(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			this.answer.completeExceptionally(ex);
		}
	}

	private void ended(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
		if (grant == null) {
			refused((failure != null) ? failure
					: new IllegalStateException("The provider completed its attempt without an outcome"));
		}
		else if (grant.isEmpty()) {
			this.answer.complete(grant);
		}
		else {
			granted(grant.get());
		}
	}

	private void refused(Throwable failure) {
		if (!(failure instanceof CancellationException cancelled)) {
			throw this.acquisition.failed(failure);
		}
		if (this.givenUp) {
			throw givenUp();
		}
		Phase phase = this.phaseAtDeadline;
		if (phase == null || this.acquisition.isStopped()) {
			throw this.acquisition.cancelled(cancelled);
		}
		this.acquisition.checkContended(phase, this.obstacle);
		this.answer.complete(Optional.empty());
	}

	/** Answer a valid grant, check a suspended one again, replace a lost one in front. */
	private void granted(LockGrant grant) {
		if (!isSettled(grant)) {
			return;
		}
		if (grant.isLost() && this.acquisition.mayRetry(this.retries)) {
			grant.release();
			AsyncThreads.schedule(() -> AsyncThreads.execute(() -> step(this::askAgain)),
					this.acquisition.nanosToRetry(this.retries++));
		}
		else {
			this.answer.complete(Optional.of(grant));
		}
	}

	private void askAgain() {
		if (this.givenUp) {
			throw givenUp();
		}
		attempt(this.caller.retrying());
	}

	/** Return whether the fate is known. Looks again if not; a failure releases. */
	private boolean isSettled(LockGrant grant) {
		try {
			if (this.givenUp) {
				throw givenUp();
			}
			boolean settled = this.acquisition.isSettled(grant);
			if (!settled) {
				AsyncThreads.schedule(() -> AsyncThreads.execute(() -> step(() -> granted(grant))),
						this.acquisition.nanosToNextLook());
			}
			return settled;
		}
		catch (RuntimeException | Error ex) {
			grant.release();
			throw ex;
		}
	}

	private RuntimeException givenUp() {
		return Failures.givenUp(this.acquisition.request().id(), this.acquisition.waited());
	}

}
