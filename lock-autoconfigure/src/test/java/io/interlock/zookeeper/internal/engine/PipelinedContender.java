package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.interlock.LockGrant;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * A contender with the code under test: a {@link PipelinedAttempt}. It is abandoned in
 * two steps, because another thread may get in between them: first the outcome is
 * decided, then the attempt is told to stop.
 */
final class PipelinedContender extends SimulatedContender {

	private static final LockOwner OWNER = new LockOwner("main", Instant.EPOCH, null);

	final LockRequest request;

	private final PipelinedAttempt attempt;

	private final SimulationChecks checks;

	boolean cancelled;

	private boolean stopped;

	@Nullable NodeGrant grant;

	private boolean released;

	private boolean kept;

	/** Until when the lock is kept at least, by the servers' clock. */
	long keptUntil;

	PipelinedContender(int number, int client, LockRequest request, boolean writesFirst, SimulatedEngine engine,
			SimulationChecks checks) {
		super(number, client);
		this.request = request;
		this.checks = checks;
		this.attempt = new PipelinedAttempt(request, OWNER, engine, writesFirst);
		this.attempt.outcome().whenComplete(this::decided);
	}

	private void decided(@Nullable Optional<LockGrant> outcome, @Nullable Throwable failure) {
		if (outcome != null && outcome.isPresent()) {
			this.grant = (NodeGrant) outcome.get();
			this.checks.granted(this);
		}
		else if (failure != null && !this.cancelled) {
			this.checks.violated("attempt failed: %s: %s".formatted(this, failure));
		}
	}

	@Override
	void start() {
		this.started = true;
		this.attempt.start();
	}

	boolean isDecided() {
		return this.attempt.outcome().isDone();
	}

	boolean isWaiting() {
		return this.started && !isDecided();
	}

	boolean isAtRest() {
		return isDecided() || this.attempt.is(Attempt.State.QUEUED);
	}

	/** Decide the outcome, as the first half of {@link PipelinedAttempt#abandon()}. */
	void cancel() {
		this.cancelled = true;
		this.attempt.outcome().cancel(false);
	}

	boolean isToBeStopped() {
		return this.cancelled && !this.stopped;
	}

	/** Stop, as the second half. */
	void stop() {
		this.stopped = true;
		this.attempt.stop();
	}

	@Override
	boolean isHolding() {
		return this.grant != null && !this.released;
	}

	@Override
	boolean isOver() {
		return (isDecided() && !isHolding() && !isToBeStopped()) || !this.started;
	}

	@Override
	boolean claims() {
		return isHolding() && !this.kept && this.grant.state() != LockState.LOST;
	}

	/** End the hold, which may be kept, and end that the next time. */
	@Override
	void release() {
		Duration minHold = this.request.minHold();
		if (minHold != null && !this.kept) {
			this.kept = true;
			this.keptUntil = this.checks.time() + minHold.toMillis();
			this.grant.keep(minHold);
			return;
		}
		this.released = true;
		this.grant.release();
	}

	@Override
	@Nullable SimulatedNode held() {
		return (this.grant != null) ? this.checks.nodeOf(this.grant) : null;
	}

	@Override
	public String toString() {
		return super.toString() + " (" + this.request.mode() + ", " + (isHolding() ? this.grant.state() : state())
				+ (this.kept ? ", kept" : "") + ")";
	}

	private String state() {
		for (Attempt.State state : Attempt.State.values()) {
			if (this.attempt.is(state)) {
				return state.name();
			}
		}
		return "";
	}

}
