package io.interlock.template;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.interlock.LockException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * One outermost acquisition, in steps of which none waits. Between two of them, a
 * {@linkplain BlockingAcquisition thread} waits, or {@linkplain AsyncAcquisition nobody}.
 *
 * <pre>
 * State  waits for    what comes                          Next   What is done
 * ASK    a pause      its end                             WAIT   an attempt is begun
 * WAIT   the outcome  a grant                             LOOK
 *                     a refusal of an attempt ahead       ASK
 *                     a refusal, the deadline in a queue  ENDED
 *                     a failure, another deadline         ENDED  it is thrown
 * LOOK   a pause      the grant is valid                  ENDED
 *                     it is suspended                     LOOK
 *                     it is lost, and may be replaced     ASK    it is released
 *                     it is lost otherwise                ENDED  its hold tells of it
 *                     it is suspended at the deadline     ENDED  released, and thrown
 * any                 the caller gives up                 ENDED  released, and thrown
 * </pre>
 *
 * A shutdown is a failure, unless a valid grant came first. Invariants: steps come one
 * after the other. When it has ended, its attempt is decided, and the grant was answered,
 * released, or never made. The listeners hear exactly one answer to each
 * {@code onWaiting}.
 */
abstract class Acquisition extends Wait {

	private static final int PROMPT_RETRIES = 3;

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	final TemplateParts parts;

	private State state = State.ASK;

	private Optional<LockGrant> grant = Optional.empty();

	private boolean ahead;

	private int retries;

	private volatile @Nullable Phase phaseAtDeadline;

	private volatile @Nullable Throwable obstacle;

	private volatile boolean givenUp;

	Acquisition(LockRequest request, TemplateParts parts, Duration tryTimeout, boolean blocking) {
		super(request, tryTimeout, blocking);
		this.parts = parts;
	}

	/** Return what a caller is told that gives up. */
	abstract LockException givenUp(@Nullable RuntimeException failure);

	final State state() {
		return this.state;
	}

	/** Return how long to wait for the next step. */
	final long pause() {
		return (this.state == State.ASK && this.retries <= PROMPT_RETRIES) ? 0 : nanosToNextLook();
	}

	final long nanosToNextLook() {
		return Math.min(left(), LOOK_NANOS);
	}

	final void tellWaiting() {
		this.parts.heldLocks().add(this);
		this.parts.listeners().tell((listener) -> listener.onWaiting(request()));
	}

	/** End with a new hold, or with {@code null} if others hold the lock. */
	final @Nullable Hold end(Holder holder) {
		try {
			if (this.grant.isPresent()) {
				return this.parts.hold(this, this.grant.get(), holder);
			}
		}
		finally {
			this.parts.heldLocks().remove(this);
		}
		Duration waited = waited();
		this.parts.listeners().tell((listener) -> listener.onNotAcquired(request(), waited));
		return null;
	}

	/** End with a failure, and return what listeners are told of it. */
	final LockException fail(Throwable failure) {
		try {
			if (this.state == State.WAIT) {
				Ahead.discard(begunAttempt());
			}
			releaseGrant();
			LockException reason = (failure instanceof LockException known) ? known : failureOf(failure);
			this.parts.listeners().tell((listener) -> listener.onFailure(request(), reason));
			return reason;
		}
		finally {
			this.parts.heldLocks().remove(this);
		}
	}

	/** Begin with an attempt at a lock that is likely to be free. */
	final void beginWith(LockAttempt attempt) {
		this.ahead = true;
		this.state = waitFor(attempt);
	}

	final State step(LockCaller caller) {
		try {
			this.state = switch (this.state) {
				case ASK -> ask((this.retries > 0) ? caller.retrying() : caller);
				case WAIT -> decided();
				case LOOK -> look();
				case ENDED -> State.ENDED;
			};
			return this.state;
		}
		catch (RuntimeException | Error ex) {
			this.state = State.ENDED;
			releaseGrant();
			throw ex;
		}
	}

	private void releaseGrant() {
		Optional<LockGrant> unused = this.grant;
		this.grant = Optional.empty();
		unused.ifPresent(LockGrant::release);
	}

	private void checkNotGivenUp() {
		if (this.givenUp) {
			throw givenUp(null);
		}
	}

	private State ask(LockCaller caller) {
		checkNotGivenUp();
		if (this.parts.heldLocks().isStopped()) {
			throw Failures.stopping(request().id(), waited());
		}
		LockAttempt attempt;
		try {
			attempt = this.parts.provider().attempt(request(), caller);
		}
		catch (RuntimeException ex) {
			throw failureOf(ex);
		}
		return waitFor(attempt);
	}

	private State waitFor(LockAttempt attempt) {
		begun(attempt);
		this.parts.firstAnswers().expect(request(), attempt);
		if (this.parts.heldLocks().isStopped()) {
			stop();
		}
		if (this.givenUp) {
			attempt.abandon();
		}
		return State.WAIT;
	}

	/** End an attempt at its deadline. A grant that came first stays. */
	final void deadlinePassed(LockAttempt attempt) {
		try {
			this.obstacle = attempt.obstacle();
			this.phaseAtDeadline = attempt.phase();
		}
		finally {
			attempt.abandon();
		}
	}

	/** End this, unless it has ended. A grant that came first is released. */
	final void giveUp() {
		this.givenUp = true;
		LockAttempt begun = attempt();
		if (begun != null && !begun.outcome().isDone()) {
			begun.abandon();
		}
	}

	final LockAttempt begunAttempt() {
		return Objects.requireNonNull(attempt());
	}

	private State decided() {
		try {
			this.grant = outcome();
		}
		catch (RuntimeException ex) {
			throw this.givenUp ? givenUp(ex) : ex;
		}
		checkNotGivenUp();
		if (this.grant.isPresent()) {
			return look();
		}
		boolean again = this.ahead && isForOthers() && left() > 0;
		this.ahead = false;
		return again ? State.ASK : State.ENDED;
	}

	private Optional<LockGrant> outcome() {
		CompletableFuture<Optional<LockGrant>> outcome = begunAttempt().outcome();
		if (!outcome.isDone()) {
			outcome.thenAccept((late) -> late.ifPresent(LockGrant::release));
			throw Failures.undecided(request().id(), waited());
		}
		try {
			Optional<LockGrant> decided = outcome.join();
			if (decided == null) {
				throw failureOf(new IllegalStateException("The provider completed its attempt without an outcome"));
			}
			return decided;
		}
		catch (CancellationException ex) {
			if (!this.givenUp) {
				checkContended(ex);
			}
			return Optional.empty();
		}
		catch (CompletionException ex) {
			throw failureOf(ex);
		}
	}

	private void checkContended(CancellationException ex) {
		Phase phase = this.phaseAtDeadline;
		if (isStopped()) {
			throw Failures.stopping(request().id(), waited());
		}
		if (phase == null) {
			throw failureOf(ex);
		}
		if (phase != Phase.QUEUED && this.parts.heldLocks().holderBefore(request()) == null) {
			throw Failures.unavailable(request().id(), waited(), phase, this.obstacle);
		}
	}

	private State look() {
		LockGrant grant = this.grant.orElseThrow();
		checkNotGivenUp();
		if (!isSettled(grant)) {
			return State.LOOK;
		}
		if (grant.state() != LockState.LOST || (this.retries >= PROMPT_RETRIES && left() == 0)) {
			return State.ENDED;
		}
		releaseGrant();
		this.retries++;
		return State.ASK;
	}

	/** Return whether a grant is valid or lost. It keeps its place until then. */
	final boolean isSettled(LockGrant grant) {
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

	private LockException failureOf(Throwable ex) {
		Throwable cause = (ex instanceof CompletionException) ? ex.getCause() : null;
		return Failures.failed(request().id(), waited(), (cause != null) ? cause : ex);
	}

	enum State {

		ASK, WAIT, LOOK, ENDED

	}

}
