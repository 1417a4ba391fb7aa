package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueingLockProvider;
import org.jspecify.annotations.Nullable;

/**
 * A contender behind the queue of its instance, which hands one node from caller to
 * caller. The node that a caller holds the lock with may be that of another contender.
 */
final class QueuedContender extends SimulatedContender {

	private static final LockCaller OWNER = new LockCaller("main", Instant.EPOCH, null, false);

	private final LockRequest request;

	private final QueueingLockProvider queue;

	private final SimulationChecks checks;

	private @Nullable LockAttempt attempt;

	private @Nullable LockGrant grant;

	private @Nullable NodeGrant node;

	private boolean cancelled;

	private int arrival;

	private @Nullable CompletableFuture<LockState> release;

	QueuedContender(int number, int client, LockRequest request, QueueingLockProvider queue, SimulationChecks checks) {
		super(number, client);
		this.request = request;
		this.queue = queue;
		this.checks = checks;
	}

	@Override
	void start() {
		this.started = true;
		this.arrival = this.checks.arrive();
		this.attempt = this.queue.attempt(this.request, OWNER);
		this.attempt.outcome().whenComplete(this::decided);
	}

	private void decided(@Nullable Optional<LockGrant> outcome, @Nullable Throwable failure) {
		if (outcome != null && outcome.isPresent()) {
			this.grant = outcome.get();
			this.node = this.grant.unwrap(NodeGrant.class).orElseThrow();
			this.checks.granted(this);
		}
		else if (failure != null && !this.cancelled) {
			this.checks.failed(this, failure);
		}
	}

	@Override
	SimulatedContender again(int number) {
		return new QueuedContender(number, this.client, this.request, this.queue, this.checks);
	}

	@Override
	boolean isWaiting() {
		return this.started && !this.attempt.outcome().isDone();
	}

	/** Return whether this waits in the same instance since before another one came. */
	boolean waitsBefore(QueuedContender other) {
		boolean queues = !Duration.ZERO.equals(this.request.waitTime());
		return this.client == other.client && this.arrival < other.arrival && queues && isWaiting();
	}

	@Override
	void cancel() {
		this.cancelled = true;
		this.attempt.abandon();
	}

	@Override
	boolean isHolding() {
		return this.grant != null && this.release == null;
	}

	@Override
	boolean isOver() {
		return !this.started || (!isWaiting() && !isHolding());
	}

	@Override
	boolean claims() {
		return isHolding() && this.grant.state() != LockState.LOST;
	}

	@Override
	void release() {
		this.release = new CompletableFuture<>();
		this.grant.release().whenComplete((state, failure) -> this.release.complete(state));
	}

	@Override
	boolean isTold() {
		return this.release == null || this.release.isDone();
	}

	/** Return whether nothing is left of the callers in the queue of the instance. */
	boolean isQueueEmpty() {
		return this.queue.queues().isEmpty();
	}

	long token() {
		return this.grant.fencingToken();
	}

	@Override
	@Nullable LockMode mode() {
		return this.request.mode();
	}

	@Override
	@Nullable SimulatedNode held() {
		return (this.node != null) ? this.checks.nodeOf(this.node) : null;
	}

	@Override
	public String toString() {
		return super.toString() + " (queued " + this.request.mode() + ", "
				+ (isHolding() ? this.grant.state() : (isWaiting() ? "waits" : "")) + ")";
	}

}
