package io.interlock.zookeeper.internal.engine;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.interlock.LockMode;
import io.interlock.zookeeper.internal.engine.Listing.Place;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * One node of an attempt in the queue of its lock, from its first place in a listing to
 * its turn. Invariant (E3): a grant rests on a listing that was answered after the
 * creation of the node, in the same session. It needs no other listing when the nodes in
 * front go, if they are one or two. The second node in front is watched so that the queue
 * is listed while the first one still holds the lock, and not between two holders. All
 * methods are steps of the attempt.
 */
final class Turn {

	private final PipelinedAttempt attempt;

	private final Steps steps;

	private final Engine engine;

	private final LockNode node;

	/** Paths of the nodes that the last listing showed in front, and that are there. */
	private final Set<String> inFront = new LinkedHashSet<>(2);

	/** Paths with a watch that has not been used up. */
	private final Set<String> watched = new HashSet<>(2);

	private boolean decisive;

	/** When the first node that keeps the lock is over, by the servers' clock. */
	private long firstEnd = Long.MAX_VALUE;

	private boolean queueWatched;

	private @Nullable OwnWatch ownWatch;

	private boolean contended;

	private boolean over;

	Turn(PipelinedAttempt attempt, Steps steps, LockNode node) {
		this.attempt = attempt;
		this.steps = steps;
		this.engine = attempt.engine();
		this.node = node;
	}

	LockNode node() {
		return this.node;
	}

	/**
	 * Find the place of the node, and act on it.
	 * @param listing the queue
	 * @param afterCreation whether the listing was sent after the creation was answered
	 */
	void judge(Requests requests, Listing listing, boolean afterCreation) {
		if (this.attempt.mode() == LockMode.PERMIT) {
			listing.otherPermits(this.attempt.request().permits())
				.ifPresent((other) -> this.engine.disagree(this.attempt.request(), other));
		}
		long time = this.node.serverTimeReached(this.engine.now());
		listing.keptBefore(time)
			.forEach((name) -> this.engine.deletions().delete(this.attempt.lockPath() + "/" + name));
		Listing now = listing.at(time);
		this.firstEnd = now.firstEnd();
		int current = this.steps.ask();
		now.place(requests, this.attempt.lockPath(), this.node.name(), this.attempt.mode())
			.whenComplete((place, failure) -> this.steps.make(current, () -> {
				this.steps.answered();
				if (failure != null) {
					this.attempt.interrupted(Code.CONNECTIONLOSS, Attempt.State.LOOKING);
				}
				else if (place != null) {
					stand(requests, place);
				}
				else if (afterCreation) {
					this.attempt.restart();
				}
				else {
					// Only a look that was sent after the creation says that it is gone.
					this.attempt.look();
				}
			}));
	}

	private void stand(Requests requests, Place place) {
		if (place.inFront().isEmpty()) {
			claim();
			return;
		}
		this.contended = true;
		if (!this.attempt.waits()) {
			this.attempt.refuseAndEnd();
			return;
		}
		this.attempt.enter(Attempt.State.QUEUED);
		watchOwn(requests);
		if (this.attempt.mode() == LockMode.PERMIT) {
			watchQueue(requests);
			return;
		}
		this.inFront.clear();
		this.decisive = place.decisive();
		for (String name : place.inFront()) {
			String path = this.attempt.lockPath() + "/" + name;
			this.inFront.add(path);
			if (this.watched.add(path)) {
				requests.watch(path, (code) -> this.steps.make(() -> watching(requests, path, code)),
						(event) -> this.steps.make(() -> changed(requests, path, event)));
			}
		}
	}

	/**
	 * Go on with what waits for a good lease, or look again because the lock is not kept
	 * any longer. Called now and then.
	 */
	void resume(Requests requests) {
		if (this.attempt.is(Attempt.State.CONFIRMING)) {
			confirm();
		}
		else if (this.attempt.is(Attempt.State.QUEUED)
				&& this.firstEnd <= this.node.serverTimeReached(this.engine.now()) && !this.steps.isAsked()) {
			lookAgain(requests);
		}
	}

	/**
	 * Watch the own node from the first wait on. This request is sent before those that
	 * watch the nodes in front, so its event comes first, as long as the connection
	 * stands.
	 */
	private void watchOwn(Requests requests) {
		if (this.ownWatch == null) {
			this.ownWatch = new OwnWatch(this, this.steps);
		}
		this.ownWatch.set(requests);
	}

	void ownWatchFailed(Code code) {
		// A queue that is watched tells of all its nodes.
		if (isWaiting() && !this.queueWatched) {
			this.attempt.interrupted(code, Attempt.State.LOOKING);
		}
	}

	void ownWatchUsedUp() {
		if (isWaiting()) {
			this.attempt.look();
		}
	}

	void ownGone() {
		if (!this.over) {
			this.attempt.restart();
		}
	}

	/**
	 * Distrust the last listing. After an interruption, events come in any order: that of
	 * a node in front says nothing about the own node any more.
	 */
	void connectionChanged() {
		this.decisive = false;
	}

	/**
	 * Wait for a change of the queue: any holder of a permit may be the next to go. The
	 * listing that sets the watch is judged, so no change is missed. The own node is a
	 * child, so its deletion uses the watch up.
	 */
	private void watchQueue(Requests requests) {
		if (this.queueWatched) {
			return;
		}
		this.queueWatched = true;
		int current = this.steps.ask();
		requests.list(this.attempt.lockPath(),
				(code, names) -> this.steps.make(current, () -> listed(requests, code, names)),
				(event) -> this.steps.make(() -> queueChanged(requests, event)));
	}

	private void listed(Requests requests, Code code, List<String> names) {
		this.steps.answered();
		if (code == Code.OK) {
			judge(requests, new Listing(names), true);
		}
		else if (code == Code.NONODE) {
			this.attempt.restart();
		}
		else {
			this.queueWatched = false;
			this.attempt.interrupted(code, Attempt.State.LOOKING);
		}
	}

	/**
	 * List again, unless a listing is under way: that one finds that there is no watch
	 * any more.
	 */
	private void queueChanged(Requests requests, EventType event) {
		if (event == EventType.None) {
			return;
		}
		this.queueWatched = false;
		if (!this.over && this.attempt.is(Attempt.State.QUEUED) && !this.steps.isAsked()) {
			watchQueue(requests);
		}
	}

	private void watching(Requests requests, String path, Code code) {
		if (code == Code.NONODE) {
			gone(requests, path);
		}
		else if (code != Code.OK && this.watched.remove(path) && isWaiting()) {
			this.attempt.interrupted(code, Attempt.State.LOOKING);
		}
	}

	private void changed(Requests requests, String path, EventType event) {
		if (event == EventType.NodeDeleted) {
			gone(requests, path);
		}
		else if (event == EventType.None) {
			connectionChanged();
		}
		else if (this.watched.remove(path) && isWaiting()) {
			this.attempt.look();
		}
	}

	/**
	 * Go on without a node in front. An answer that is still to come shows it too, and
	 * says how.
	 */
	private void gone(Requests requests, String path) {
		this.watched.remove(path);
		if (!this.inFront.remove(path) || !isWaiting() || this.steps.isAsked()) {
			return;
		}
		if (!this.decisive || this.ownWatch == null || !this.ownWatch.isSet()) {
			lookAgain(requests);
		}
		else if (this.inFront.isEmpty()) {
			claim();
		}
	}

	/** Look at the queue beside a wait that goes on. */
	private void lookAgain(Requests requests) {
		int current = this.steps.ask();
		requests.list(this.attempt.lockPath(),
				(code, names) -> this.steps.make(current, () -> listed(requests, code, names)));
	}

	private boolean isWaiting() {
		return !this.over && (this.attempt.is(Attempt.State.QUEUED) || this.attempt.is(Attempt.State.LOOKING));
	}

	/**
	 * Hand out the hold if it is certain: the hold is registered first, so that whatever
	 * ends the session later finds it (CURATOR-604).
	 */
	private void claim() {
		SessionLease lease = this.engine.status().leaseOf(this.node.sessionId());
		if (lease == null) {
			this.attempt.restart();
			return;
		}
		NodeGrant hold = this.attempt.hold(this.node, lease, this.contended);
		this.engine.register(hold);
		if (!hold.isValid()) {
			this.engine.deregister(hold);
			this.attempt.enter(Attempt.State.CONFIRMING);
			confirm();
			return;
		}
		if (this.ownWatch != null) {
			this.ownWatch.passTo(hold);
		}
		this.attempt.grantAndEnd(hold);
	}

	/**
	 * Ask a quorum whether the node is still there, so that the lease is good again. If
	 * it is not, the next look of the timer asks once more.
	 */
	private void confirm() {
		Requests requests = this.engine.requests();
		if (!this.steps.isAsked() && requests != null) {
			int current = this.steps.ask();
			long sent = this.engine.now();
			requests.check(this.node.path(), (code) -> this.steps.make(current, () -> confirmed(code, sent)));
		}
	}

	private void confirmed(Code code, long sent) {
		this.steps.answered();
		if (code == Code.NONODE) {
			this.attempt.restart();
			return;
		}
		if (code != Code.OK) {
			this.attempt.interrupted(code, Attempt.State.CONFIRMING);
			return;
		}
		SessionLease lease = this.engine.status().leaseOf(this.node.sessionId());
		if (lease != null) {
			lease.confirmed(sent, this.engine.now());
		}
		if (lease == null || this.engine.isGood(lease)) {
			claim();
		}
	}

	/** Remove the watches, and ignore events that are still under way. */
	void end() {
		this.over = true;
		Requests requests = this.engine.anyRequests();
		if (requests != null) {
			this.watched.forEach(requests::removeWatches);
		}
		this.watched.clear();
	}

}
