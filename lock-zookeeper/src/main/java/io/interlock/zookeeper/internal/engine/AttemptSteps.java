package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.interlock.LockRequest;
import io.interlock.provider.LockGrant;
import io.interlock.zookeeper.internal.engine.Deletions.Result;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * The outcome and the phase of an attempt, and the order of its steps. Invariant (E1):
 * the outcome is decided once, by the first that completes it; a grant that comes after
 * that is released by the attempt itself.
 * <p>
 * The steps of one attempt run one after the other under one lock, whichever thread
 * brings them. Requests belong to rounds: an answer that comes in a later round than its
 * request makes no step. The outcome is completed outside of the lock.
 */
abstract class AttemptSteps implements Engine.Attempt {

	private final LockRequest request;

	private final Engine engine;

	private final TakenLocks taken;

	private final String lockPath;

	private final CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();

	private final ReentrantLock lock = new ReentrantLock();

	private final Queue<Runnable> due = new ArrayDeque<>(2);

	private CompletableFuture<Result> owed = CompletableFuture.completedFuture(Result.UNKNOWN);

	private volatile State state = State.CONNECTING;

	private @Nullable Runnable effect;

	private int round;

	private boolean asked;

	private boolean behindOthers;

	/** Whether the newest listing shows other instances; {@code null} without one. */
	private volatile @Nullable Boolean toldOfOthers;

	AttemptSteps(LockRequest request, Engine engine, TakenLocks taken) {
		this.request = request;
		this.engine = engine;
		this.taken = taken;
		this.lockPath = engine.paths().pathOf(request.id());
	}

	final void start() {
		this.engine.add(this, this.lockPath);
		resume();
	}

	@Override
	public final void resume() {
		make(() -> {
			Requests requests = is(State.ENDED) ? null : this.engine.requests();
			if (requests != null) {
				goOn(requests);
			}
		});
	}

	@Override
	public final CompletableFuture<Optional<LockGrant>> outcome() {
		return this.outcome;
	}

	@Override
	public final Phase phase() {
		SessionStatus status = this.engine.status();
		if (!status.isConnected() || is(State.CONNECTING)) {
			return Phase.CONNECTING;
		}
		long now = this.engine.now();
		return (status.answersLately(now) && (is(State.QUEUED) || isKnownAsTaken(status.lease(), now))) ? Phase.QUEUED
				: Phase.CREATING;
	}

	/** Return whether only the answer is missing, because the line is slow. */
	private boolean isKnownAsTaken(@Nullable SessionLease lease, long now) {
		return lease != null && !is(State.CONFIRMING) && !is(State.ENDED)
				&& this.taken.isTaken(this.lockPath, this.request.mode(), lease, now);
	}

	@Override
	public final void abandon() {
		if (this.outcome.cancel(false)) {
			stop();
		}
	}

	@Override
	public final void fail(Throwable failure) {
		this.outcome.completeExceptionally(failure);
		// Another thread may have decided it, and be about to stop the attempt.
		stop();
	}

	final void stop() {
		make(() -> {
			SessionLease lease = this.engine.status().lease();
			if (lease != null && this.behindOthers && is(State.QUEUED)) {
				// It would have heard of a change, as lately as the servers have
				// answered.
				long now = this.engine.now();
				this.taken.taken(this.lockPath, this.request.mode(), lease, now - lease.age(now), isToldOfOthers());
			}
			end();
		});
	}

	/** Note whether a listing shows others in front of a node. A step. */
	final void hear(Listing listing, String own) {
		SessionLease lease = this.engine.status().lease();
		tellOfOthers(listing, own);
		if (lease == null) {
			return;
		}
		this.behindOthers = listing.at(this.engine.serverTimeAhead())
			.isTakenBefore(own, this.request.mode(),
					(name) -> this.engine.deletions().isGoing(this.lockPath + "/" + name));
		if (this.behindOthers) {
			this.taken.taken(this.lockPath, this.request.mode(), lease, this.engine.now(), isToldOfOthers());
		}
		else {
			this.taken.free(this.lockPath, this.request.mode());
		}
	}

	/** Return whether a listing excludes an attempt that has no node. A step. */
	final boolean isExcludedBy(Listing listing) {
		tellOfOthers(listing, null);
		return listing.excludes(this.request, this.engine.serverTimeAhead());
	}

	private void tellOfOthers(Listing listing, @Nullable String own) {
		this.toldOfOthers = listing.at(this.engine.serverTimeAhead())
			.isTakenByOthers(own, this.request.mode(), this.engine.names()::begin);
	}

	/** A listing that is not answered yet may show what the one before has shown. */
	@Override
	public final boolean isToldOfOthers() {
		Boolean told = this.toldOfOthers;
		return (told != null) ? told : this.taken.isByOthers(this.lockPath, this.request.mode());
	}

	final void grant(NodeGrant hold) {
		if (!this.outcome.complete(Optional.of(hold))) {
			hold.release();
		}
	}

	/** Complete the outcome after the lock is released. Called in a step. */
	final void grantLater(NodeGrant hold) {
		this.taken.free(this.lockPath, this.request.mode());
		this.effect = () -> grant(hold);
	}

	/** End because others hold the lock. A step. */
	final void refuseAndEnd() {
		end();
		this.effect = () -> this.outcome.complete(Optional.empty());
	}

	final void failLater(Throwable failure) {
		this.effect = () -> this.outcome
			.completeExceptionally(ProviderFailures.permanent(this.request.id(), this.engine, failure));
	}

	/** Continue after a connection was made, and at intervals. A step. */
	abstract void goOn(Requests requests);

	/** Start from the back of the queue: the node is gone. A step. */
	abstract void restart();

	/** Look at the queue. A step. */
	abstract void look();

	abstract void grantAndEnd(NodeGrant hold);

	/**
	 * End without a grant, because the outcome is decided or about to be. Leaves neither
	 * node nor watch. A step.
	 */
	abstract void end();

	/** End with a failure, unless the attempt has ended. A step. */
	abstract void failAndEnd(Throwable failure);

	/** Run a step, and the steps added meanwhile: a closed handle answers at once. */
	final void make(Runnable step) {
		Runnable after;
		this.lock.lock();
		try {
			this.due.add(step);
			if (this.lock.getHoldCount() > 1) {
				return;
			}
			for (Runnable next = this.due.poll(); next != null; next = this.due.poll()) {
				makeSafely(next);
			}
			after = this.effect;
			this.effect = null;
		}
		finally {
			this.lock.unlock();
		}
		if (after != null) {
			after.run();
		}
	}

	private void makeSafely(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			failAndEnd(ex);
		}
	}

	/** Run a step, unless a later round has begun. */
	final void make(int round, Runnable step) {
		make(() -> {
			if (round == this.round) {
				step.run();
			}
		});
	}

	/** Run the step of a listing, or hear what it shows if the attempt has ended. */
	final void make(int round, Runnable step, List<String> names, String prefix) {
		make(() -> {
			if (round == this.round) {
				step.run();
			}
			else if (is(State.ENDED)) {
				Listing listing = new Listing(names);
				listing.nodesOf(prefix).stream().findFirst().ifPresent((own) -> hear(listing, own));
			}
		});
	}

	/** Begin a round without an unanswered request. Called in a step. */
	final int nextRound() {
		this.asked = false;
		return ++this.round;
	}

	/** Begin a round with a request that must be answered. Called in a step. */
	final int ask() {
		int next = nextRound();
		this.asked = true;
		return next;
	}

	final void answered() {
		this.asked = false;
	}

	final boolean isAsked() {
		return this.asked;
	}

	/** Wait in a state for the next connection, or fail if the failure is permanent. */
	final void interrupted(Code code, State next) {
		interrupted(KeeperException.create(code, this.lockPath), next);
	}

	final void interrupted(Throwable failure, State next) {
		if (!ProviderFailures.isTransient(failure)) {
			failAndEnd(failure);
		}
		else if (!is(State.ENDED)) {
			nextRound();
			enter(next);
		}
	}

	/** Delete what this attempt leaves behind, and end its use of the lock. */
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

	/** Owe a deletion until an answer tells the node and {@link #leave} is called. */
	final void leaveLater() {
		this.owed = this.engine.deletions().owe();
	}

	final void enter(State next) {
		this.state = next;
	}

	final boolean is(State asked) {
		return this.state == asked;
	}

	final State state() {
		return this.state;
	}

	@Override
	public final LockRequest request() {
		return this.request;
	}

	final Engine engine() {
		return this.engine;
	}

	final String lockPath() {
		return this.lockPath;
	}

	/** The states of an attempt, as {@link NodeAttempt} draws them. */
	enum State {

		CONNECTING, PROBING, CREATING, LOOKING, QUEUED, CONFIRMING, ENDED

	}

}
