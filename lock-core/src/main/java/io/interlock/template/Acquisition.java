package io.interlock.template;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockException;
import io.interlock.LockInterruptedException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * One outermost acquisition: its deadline and its answer. A thread {@link #await waits}
 * for it, or an {@link AsyncAcquisition} goes on without one. Invariant: when
 * {@link #await} returns or throws, its attempt is decided, and the grant was returned,
 * released, or never made.
 */
class Acquisition extends Wait {

	private static final int PROMPT_RETRIES = 3;

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	final TemplateParts parts;

	Acquisition(LockRequest request, TemplateParts parts) {
		this(request, parts, true);
	}

	Acquisition(LockRequest request, TemplateParts parts, boolean blocking) {
		super(request, tryTimeout(request, parts, blocking), blocking);
		this.parts = parts;
	}

	/** A thread that must not block does not wait for the first answer of a store. */
	private static Duration tryTimeout(LockRequest request, TemplateParts parts, boolean blocking) {
		Duration ordinary = parts.settings().tryTimeout();
		Duration now = parts.firstAnswers().tryTimeout(request);
		boolean longer = now.compareTo(ordinary) > 0;
		return (longer && blocking && EventLoops.mustNotBlock(Thread.currentThread())) ? ordinary : now;
	}

	/** Return a new hold or {@code null}, with exactly one answer to the listeners. */
	@Nullable Hold acquire(@Nullable Ahead ahead) {
		if (!isForOthers() || !EventLoops.mustNotBlock(thread())) {
			return acquireNow(ahead);
		}
		Hold hold = new Acquisition(request().withWaitTime(Duration.ZERO), this.parts).acquireNow(ahead);
		if (hold != null) {
			return hold;
		}
		EventLoops.warnOfBlocking(this, this.parts.settings());
		return acquireNow(ahead);
	}

	private @Nullable Hold acquireNow(@Nullable Ahead ahead) {
		this.parts.check(request());
		LockCaller caller = LockCaller.current();
		Holder holder = new Holder(thread(), LockContext.handlesOfThisThread(), caller.operator());
		this.parts.heldLocks().add(this);
		try {
			Optional<LockGrant> grant = awaitAndTell(ahead, caller);
			if (grant.isPresent()) {
				return this.parts.hold(this, grant.get(), holder);
			}
		}
		finally {
			this.parts.heldLocks().remove(this);
		}
		Duration waited = waited();
		this.parts.listeners().tell((listener) -> listener.onNotAcquired(request(), waited));
		return null;
	}

	private Optional<LockGrant> awaitAndTell(@Nullable Ahead ahead, LockCaller caller) {
		this.parts.listeners().tell((listener) -> listener.onWaiting(request()));
		try {
			if (isForOthers() && LockContext.holdsAny()) {
				this.parts.heldLocks().checkOrder(this);
			}
			return await(ahead, caller);
		}
		catch (LockException ex) {
			this.parts.listeners().tell((listener) -> listener.onFailure(request(), ex));
			throw ex;
		}
	}

	/**
	 * Acquire. A grant that is lost when its caller wakes up does not count: the body has
	 * not begun, so the caller goes on waiting, at the front. The loss is reported if the
	 * wait time is over.
	 */
	private Optional<LockGrant> await(@Nullable Ahead ahead, LockCaller caller) {
		LockAttempt begun = (ahead != null) ? ahead.take(request().id()) : null;
		Optional<LockGrant> grant = (begun != null) ? await(watched(begun)) : Optional.empty();
		if (begun == null || (grant.isEmpty() && isForOthers() && left() > 0)) {
			grant = await(begin(caller, ahead));
		}
		for (int retries = 0; grant.isPresent() && !isHeld(grant.get()) && mayRetry(retries); retries++) {
			grant.get().release();
			sleep(nanosToRetry(retries));
			grant = await(begin(caller.retrying(), ahead));
		}
		return grant;
	}

	boolean mayRetry(int retries) {
		return retries < PROMPT_RETRIES || left() > 0;
	}

	/** A store that keeps granting lost locks is asked again only after a pause. */
	long nanosToRetry(int retries) {
		return (retries < PROMPT_RETRIES) ? 0 : nanosToNextLook();
	}

	private void sleep(long nanos) {
		try {
			TimeUnit.NANOSECONDS.sleep(nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw Failures.interrupted(request().id(), waited(), null);
		}
	}

	private boolean isHeld(LockGrant grant) {
		try {
			settle(grant);
			return grant.state() != LockState.LOST;
		}
		catch (RuntimeException | Error ex) {
			grant.release();
			throw ex;
		}
	}

	/** Wait until a hold is valid or throw, because no body begins in doubt. */
	void settle(Hold hold) {
		settle(hold.grant());
		hold.throwIfLost();
	}

	/**
	 * Wait for the fate of a grant whose connection is suspended: it is valid or lost
	 * afterwards. It keeps its place meanwhile, and its session may survive.
	 */
	private void settle(LockGrant grant) {
		try {
			while (!isSettled(grant)) {
				sleep(nanosToNextLook());
			}
		}
		catch (LockInterruptedException ex) {
			// The interrupt may be that of the loss itself.
			if (grant.state() != LockState.LOST) {
				throw ex;
			}
		}
	}

	boolean isSettled(LockGrant grant) {
		if (grant.state() == LockState.VALID || grant.state() == LockState.LOST) {
			return true;
		}
		if (this.parts.heldLocks().isStopped()) {
			throw Failures.stopping(request().id(), waited());
		}
		if (left() == 0) {
			throw Failures.unavailable(request().id(), waited(), Phase.CONNECTING, null);
		}
		return false;
	}

	long nanosToNextLook() {
		return Math.min(left(), LOOK_NANOS);
	}

	private LockAttempt begin(LockCaller caller, @Nullable Ahead ahead) {
		if (ahead != null) {
			ahead.giveUp();
		}
		return begin(caller);
	}

	final LockAttempt begin(LockCaller caller) {
		if (this.parts.heldLocks().isStopped()) {
			throw Failures.stopping(request().id(), waited());
		}
		LockAttempt begun;
		try {
			begun = this.parts.provider().attempt(request(), caller);
		}
		catch (RuntimeException ex) {
			throw Failures.failed(request().id(), waited(), ex);
		}
		return watched(begun);
	}

	private LockAttempt watched(LockAttempt begun) {
		begun(begun);
		this.parts.firstAnswers().expect(request(), begun);
		if (this.parts.heldLocks().isStopped()) {
			stop();
		}
		return begun;
	}

	private Optional<LockGrant> await(LockAttempt attempt) {
		try {
			return this.parts.heldLocks().time().await(request(), attempt, left());
		}
		catch (TimeoutException ex) {
			return atDeadline(attempt);
		}
		catch (InterruptedException ex) {
			throw afterInterrupt(attempt);
		}
		catch (CancellationException ex) {
			throw cancelled(ex);
		}
		catch (ExecutionException ex) {
			throw failed(ex);
		}
	}

	LockException cancelled(CancellationException ex) {
		return isStopped() ? Failures.stopping(request().id(), waited())
				: Failures.failed(request().id(), waited(), ex);
	}

	LockException failed(Throwable ex) {
		Throwable cause = ex.getCause();
		boolean wrapper = ex instanceof ExecutionException || ex instanceof CompletionException;
		return Failures.failed(request().id(), waited(), (wrapper && cause != null) ? cause : ex);
	}

	private LockInterruptedException afterInterrupt(LockAttempt attempt) {
		RuntimeException failure = null;
		try {
			abandon(attempt).ifPresent(LockGrant::release);
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		finally {
			Thread.currentThread().interrupt();
		}
		return Failures.interrupted(request().id(), waited(), failure);
	}

	private Optional<LockGrant> atDeadline(LockAttempt attempt) {
		Phase phase = attempt.phase();
		Throwable obstacle = attempt.obstacle();
		Optional<LockGrant> grant = abandon(attempt);
		if (grant.isEmpty()) {
			checkContended(phase, obstacle);
		}
		return grant;
	}

	void checkContended(Phase phase, @Nullable Throwable obstacle) {
		if (phase != Phase.QUEUED && this.parts.heldLocks().holderBefore(request()) == null) {
			throw Failures.unavailable(request().id(), waited(), phase, obstacle);
		}
	}

	/** Give up, unless the grant came first. What comes late is released. */
	private Optional<LockGrant> abandon(LockAttempt attempt) {
		attempt.abandon();
		CompletableFuture<Optional<LockGrant>> outcome = attempt.outcome();
		if (!outcome.isDone()) {
			outcome.thenAccept((late) -> late.ifPresent(LockGrant::release));
			throw Failures.undecided(request().id(), waited());
		}
		try {
			return outcome.join();
		}
		catch (CancellationException ex) {
			return Optional.empty();
		}
		catch (RuntimeException ex) {
			throw failed(ex);
		}
	}

}
