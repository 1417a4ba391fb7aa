package io.interlock.zookeeper.internal.engine;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.zookeeper.internal.engine.Deletions.Result;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to get a lock in ZooKeeper. Invariant (E1): the outcome is decided once, by
 * the first that completes it; a grant that comes after that is released by the attempt
 * itself.
 */
abstract class Attempt implements LockAttempt {

	private final LockRequest request;

	private final LockCaller owner;

	private final Engine engine;

	private final String lockPath;

	private final CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();

	private volatile State state = State.CONNECTING;

	private CompletableFuture<Result> owed = CompletableFuture.completedFuture(Result.UNKNOWN);

	Attempt(LockRequest request, LockCaller owner, Engine engine) {
		this.request = request;
		this.owner = owner;
		this.engine = engine;
		this.lockPath = engine.paths().pathOf(request.id());
	}

	abstract void start();

	/**
	 * End the attempt, because its outcome is decided, and leave neither node nor watch.
	 */
	abstract void stop();

	/**
	 * Continue an attempt that waits for a connection or for a good lease. Called after
	 * each connection, and by a timer.
	 */
	abstract void resume();

	/**
	 * Fail, unless the outcome is decided.
	 * @param failure what to tell the caller
	 */
	final void fail(Throwable failure) {
		this.outcome.completeExceptionally(failure);
		// Another thread may have decided it, and be about to stop the attempt.
		stop();
	}

	final void failForGood(Throwable cause) {
		Throwable reason = this.engine.status().isClosed() ? new ClientClosedException() : cause;
		this.outcome
			.completeExceptionally(ProviderFailures.permanent(this.request.id(), this.engine.settings(), reason));
	}

	final void grant(NodeGrant hold) {
		if (!this.outcome.complete(Optional.of(hold))) {
			hold.release();
		}
	}

	final void refuse() {
		this.outcome.complete(Optional.empty());
	}

	@Override
	public final CompletableFuture<Optional<LockGrant>> outcome() {
		return this.outcome;
	}

	@Override
	public final void abandon() {
		if (this.outcome.cancel(false)) {
			stop();
		}
	}

	@Override
	public final Phase phase() {
		SessionStatus status = this.engine.status();
		if (!status.isConnected() || is(State.CONNECTING)) {
			return Phase.CONNECTING;
		}
		return (is(State.QUEUED) && status.answersLately(this.engine.now())) ? Phase.QUEUED : Phase.CREATING;
	}

	final void enter(State next) {
		this.state = next;
	}

	final boolean is(State asked) {
		return this.state == asked;
	}

	final LockRequest request() {
		return this.request;
	}

	final LockMode mode() {
		return this.request.mode();
	}

	final boolean waits() {
		return this.request.waitTime() == null || !this.request.waitTime().isZero();
	}

	final String lockPath() {
		return this.lockPath;
	}

	final LockParent parent() {
		return new LockParent(this.lockPath, this.engine.settings().keptParents().contains(this.request.id().name()));
	}

	final Engine engine() {
		return this.engine;
	}

	final byte[] nodeData() {
		return this.engine.ownerRecords().write(this.request.id(), this.owner);
	}

	/**
	 * Delete what this attempt leaves behind, and end its use of the lock.
	 * @param node path of its node, if it is known
	 * @param prefix start of the names of its nodes, if an answer to a creation was lost
	 */
	final void leave(@Nullable String node, @Nullable String prefix) {
		CompletableFuture<?> gone = (node != null) ? this.engine.deletions().delete(node)
				: CompletableFuture.completedFuture(null);
		if (prefix != null) {
			gone = gone.thenCombine(this.engine.deletions().deleteAll(this.lockPath, prefix), (one, all) -> all);
		}
		gone.whenComplete((result, failure) -> {
			this.owed.complete(Result.UNKNOWN);
			this.engine.endUse(this.lockPath);
		});
	}

	/** Owe a deletion until {@link #leave} is called, with what an answer tells. */
	final void leaveLater() {
		this.owed = this.engine.deletions().owe();
	}

	final NodeGrant hold(LockNode node, SessionLease lease, boolean contended) {
		return new NodeGrant(this.request.id(), this.request.mode(), contended, node, lease, this.engine);
	}

	/** What an attempt is at. */
	enum State {

		/** Waits for a connection. */
		CONNECTING,

		/** Reads whether the lock is held, before a try writes anything. */
		PROBING,

		/** Creation and listing are under way. */
		CREATING,

		/** Looks at the queue, or waits for a connection to do so. */
		LOOKING,

		/** Watches the node before its own. */
		QUEUED,

		/** First in the queue, and the lease is not good. */
		CONFIRMING,

		/** The outcome is decided. */
		ENDED

	}

}
