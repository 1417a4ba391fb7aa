package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * A contender with the code under test: a {@link NodeAttempt}. It is abandoned in two
 * steps, because another thread may get in between them: first the outcome is decided,
 * then the attempt is told to stop.
 */
final class PipelinedContender extends SimulatedContender {

	private static final LockCaller OWNER = new LockCaller("main", Instant.EPOCH, null, false);

	final LockRequest request;

	final SimulatedEngine engine;

	private final NodeAttempt attempt;

	private final SimulationChecks checks;

	boolean cancelled;

	private boolean stopped;

	@Nullable NodeGrant grant;

	private @Nullable CompletableFuture<LockState> release;

	/** The newest state that the holder was told of. */
	private LockState told = LockState.VALID;

	private boolean kept;

	private boolean ended;

	private boolean asked;

	private boolean contended;

	/** What the server that is furthest behind had applied when this was started. */
	private int seenAtStart;

	/** Until when the lock is kept at least, by the servers' clock. */
	long keptUntil;

	PipelinedContender(int number, int client, LockRequest request, boolean writesFirst, SimulatedEngine engine,
			SimulationChecks checks) {
		super(number, client);
		this.request = request;
		this.checks = checks;
		this.engine = engine;
		this.attempt = new NodeAttempt(request, OWNER, engine, engine.taken, writesFirst);
		this.attempt.outcome().whenComplete(this::decided);
	}

	private void decided(@Nullable Optional<LockGrant> outcome, @Nullable Throwable failure) {
		if (outcome != null && outcome.isPresent()) {
			this.grant = (NodeGrant) outcome.get();
			this.checks.granted(this);
			this.grant.onStateChange(this::told);
			if (this.checks.asksForContention()) {
				this.grant.onContention(this::contended);
				this.asked = true;
			}
		}
		else if (outcome != null) {
			this.checks.refused(this, this.seenAtStart);
		}
		else if (failure != null && !this.cancelled) {
			this.checks.failed(this, failure);
		}
	}

	@Override
	void timePassed() {
		this.ended |= isHolding() && this.engine.hasEnded(this.grant.lease());
	}

	/**
	 * Return whether the session of the hold has ended for its instance, once at least.
	 */
	boolean hasEnded() {
		return this.ended || this.engine.hasEnded(this.grant.lease());
	}

	private void contended() {
		if (this.contended || isReleased()) {
			this.checks.violated("contention told again: " + this);
		}
		this.contended = true;
	}

	/** Return whether it was told of others in the queue, if it has asked for that. */
	boolean knowsOthers() {
		return !this.asked || this.contended;
	}

	private void told(LockState state) {
		if (this.told == LockState.LOST || isReleased()) {
			this.checks.violated("news after the end: %s is told %s".formatted(this, state));
		}
		this.told = state;
		if (state == LockState.LOST) {
			this.checks.lost(this);
		}
	}

	/** Start as the provider does. */
	@Override
	void start() {
		this.started = true;
		this.seenAtStart = this.checks.oldestState();
		this.engine.begin(this.attempt);
	}

	/** Return another attempt of the same caller. */
	@Override
	PipelinedContender again(int number) {
		return new PipelinedContender(number, this.client, this.request, true, this.engine, this.checks);
	}

	boolean isDecided() {
		return this.attempt.outcome().isDone();
	}

	@Override
	boolean isWaiting() {
		return this.started && !isDecided();
	}

	@Override
	boolean isAtRest() {
		return isDecided() || this.attempt.is(AttemptSteps.State.QUEUED);
	}

	/** Decide the outcome, as the first half of {@link NodeAttempt#abandon()}. */
	@Override
	void cancel() {
		this.cancelled = true;
		this.attempt.outcome().cancel(false);
	}

	@Override
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
		return this.grant != null && !isReleased();
	}

	boolean isReleased() {
		return this.release != null;
	}

	/** Return whether the state of the hold was told, and the release answered. */
	@Override
	boolean isTold() {
		return (this.release != null) ? this.release.isDone()
				: this.grant == null || this.kept || this.told == this.grant.state();
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
			this.grant.keep(minHold).thenAccept((kept) -> this.checks.kept(this, kept));
			return;
		}
		this.release = new CompletableFuture<>();
		this.checks.release(this, this.grant, !this.kept, this.release);
	}

	@Override
	@Nullable SimulatedNode held() {
		return (this.grant != null) ? this.checks.nodeOf(this.grant) : null;
	}

	@Override
	public String toString() {
		return super.toString() + " (" + this.request.mode() + ", "
				+ (isHolding() ? this.grant.state() : this.attempt.state()) + (this.kept ? ", kept" : "") + ")";
	}

}
