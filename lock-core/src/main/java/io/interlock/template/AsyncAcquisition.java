package io.interlock.template;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition without a waiting thread. Its steps run one after the other, on threads
 * that may block: the end of an attempt, or a check of a grant whose connection is
 * suspended. The deadline, or a caller that completes the result, abandons the present
 * attempt, which starts the next step. Invariant: it is answered once, on such a thread,
 * and when it is, its grant was answered, released, or never made. The listeners hear
 * exactly one answer to each {@code onWaiting}.
 */
final class AsyncAcquisition<T extends @Nullable Object> extends Acquisition {

	private final BiConsumer<AsyncAcquisition<T>, Optional<HoldHandle>> answer;

	private final LockCaller caller = LockCaller.current();

	/** Valid or lost, or empty if others hold the lock. */
	private final CompletableFuture<Optional<LockGrant>> grant = new CompletableFuture<>();

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private volatile @Nullable Phase phaseAtDeadline;

	private volatile @Nullable Throwable obstacle;

	private volatile boolean givenUp;

	private int retries;

	private AsyncAcquisition(LockRequest request, TemplateParts parts,
			BiConsumer<AsyncAcquisition<T>, Optional<HoldHandle>> answer) {
		super(request, parts, false);
		this.answer = answer;
	}

	static CompletableFuture<LockHandle> acquire(LockRequest request, TemplateParts parts) {
		return start(request, parts,
				(acquisition, handle) -> acquisition.handOver(handle, acquisition.orElseThrow(handle).handedOut()));
	}

	static CompletableFuture<Optional<LockHandle>> tryAcquire(LockRequest request, TemplateParts parts) {
		LockRequest unlessTold = (request.waitTime() != null) ? request : request.withWaitTime(Duration.ZERO);
		return start(unlessTold, parts,
				(acquisition, handle) -> acquisition.handOver(handle, handle.map(HoldHandle::handedOut)));
	}

	static <T extends @Nullable Object> CompletableFuture<T> start(LockRequest original, TemplateParts parts,
			BiConsumer<AsyncAcquisition<T>, Optional<HoldHandle>> answer) {
		parts.check(original);
		LockSettings settings = parts.settings();
		LockRequest request = original.withWaitTime(settings.waitTime(original, settings.defaultWaitTime()));
		AsyncAcquisition<T> acquisition = new AsyncAcquisition<>(request, parts, answer);
		acquisition.grant.whenComplete(acquisition::answer);
		acquisition.result.whenComplete((value, failure) -> acquisition.giveUp());
		parts.heldLocks().add(acquisition);
		parts.listeners().tell((listener) -> listener.onWaiting(request));
		acquisition.start();
		return acquisition.result;
	}

	private void start() {
		try {
			attempt(this.caller);
		}
		catch (RuntimeException ex) {
			AsyncThreads.execute(() -> this.grant.completeExceptionally(ex));
		}
		catch (Error ex) {
			// There may be no other thread to answer on.
			this.grant.completeExceptionally(ex);
		}
	}

	private void giveUp() {
		this.givenUp = true;
		LockAttempt begun = attempt();
		if (begun != null && !this.grant.isDone()) {
			begun.abandon();
		}
	}

	private static void later(Runnable step, long nanos) {
		AsyncThreads.schedule(() -> AsyncThreads.execute(step), nanos);
	}

	private void attempt(LockCaller caller) {
		LockAttempt begun = begin(caller);
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
			Runnable passed = () -> AsyncThreads.execute(() -> deadlinePassed(attempt));
			return this.parts.heldLocks().time().onDeadline(request(), attempt, passed, left());
		}
		catch (RuntimeException | Error ex) {
			Ahead.discard(attempt);
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
			this.grant.completeExceptionally(ex);
		}
	}

	private void ended(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
		if (grant == null) {
			refused((failure != null) ? failure
					: new IllegalStateException("The provider completed its attempt without an outcome"));
		}
		else if (grant.isEmpty()) {
			this.grant.complete(grant);
		}
		else {
			granted(grant.get());
		}
	}

	private void refused(Throwable failure) {
		if (!(failure instanceof CancellationException cancelled)) {
			throw failed(failure);
		}
		if (this.givenUp) {
			throw givenUp();
		}
		Phase phase = this.phaseAtDeadline;
		if (phase == null || isStopped()) {
			throw cancelled(cancelled);
		}
		checkContended(phase, this.obstacle);
		this.grant.complete(Optional.empty());
	}

	/** Answer a valid grant, check a suspended one again, replace a lost one in front. */
	private void granted(LockGrant grant) {
		if (!isKnown(grant)) {
			return;
		}
		if (grant.state() == LockState.LOST && mayRetry(this.retries)) {
			grant.release();
			later(() -> step(this::askAgain), nanosToRetry(this.retries++));
		}
		else {
			this.grant.complete(Optional.of(grant));
		}
	}

	private void askAgain() {
		if (this.givenUp) {
			throw givenUp();
		}
		attempt(this.caller.retrying());
	}

	/** Return whether the fate is known. Looks again if not; a failure releases. */
	private boolean isKnown(LockGrant grant) {
		try {
			if (this.givenUp) {
				throw givenUp();
			}
			boolean settled = isSettled(grant);
			if (!settled) {
				later(() -> step(() -> granted(grant)), nanosToNextLook());
			}
			return settled;
		}
		catch (RuntimeException | Error ex) {
			grant.release();
			throw ex;
		}
	}

	private RuntimeException givenUp() {
		return Failures.givenUp(request().id(), waited());
	}

	private void answer(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
		try {
			answer(begun(grant, failure));
		}
		catch (Throwable ex) {
			AsyncThreads.answer(() -> this.result.completeExceptionally(ex));
		}
	}

	private Optional<HoldHandle> begun(@Nullable Optional<LockGrant> grant, @Nullable Throwable failure) {
		Duration waited = waited();
		if (grant == null) {
			LockException reason = (failure instanceof LockException known) ? known
					: failed((failure != null) ? failure : new IllegalStateException("No answer"));
			this.parts.listeners().tell((listener) -> listener.onFailure(request(), reason));
			this.parts.heldLocks().remove(this);
			throw reason;
		}
		if (grant.isEmpty()) {
			this.parts.heldLocks().remove(this);
			this.parts.listeners().tell((listener) -> listener.onNotAcquired(request(), waited));
			return Optional.empty();
		}
		try {
			return Optional
				.of(this.parts.hold(this, grant.get(), new Holder(thread(), null, this.caller.operator())).outermost());
		}
		finally {
			this.parts.heldLocks().remove(this);
		}
	}

	/** Answer as soon as the hold is valid, because no work begins in doubt. */
	private void answer(Optional<HoldHandle> handle) {
		try {
			if (handle.isPresent() && !this.result.isDone()) {
				Hold hold = handle.get().hold();
				if (!isSettled(hold.grant())) {
					later(() -> answer(handle), nanosToNextLook());
					return;
				}
				hold.throwIfLost();
			}
			this.answer.accept(this, handle);
		}
		catch (Throwable ex) {
			handle.ifPresent(HoldHandle::giveBack);
			AsyncThreads.answer(() -> this.result.completeExceptionally(ex));
		}
	}

	CompletableFuture<T> result() {
		return this.result;
	}

	private void handOver(Optional<HoldHandle> handle, T value) {
		AsyncThreads.answer(() -> {
			if (!this.result.complete(value)) {
				handle.ifPresent(HoldHandle::giveBack);
			}
		});
	}

	HoldHandle orElseThrow(Optional<HoldHandle> handle) {
		return handle.orElseThrow(() -> this.parts.heldLocks().refusal(this, waited()));
	}

}
