package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.zookeeper.internal.engine.AttemptSteps.State;
import io.interlock.zookeeper.internal.engine.Listing.Position;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * One node of an attempt in the queue of its lock, from its first place in a listing to
 * its turn. Invariant (E3): a grant rests on a listing that was answered after the
 * creation of the node, in the same session. No other listing is needed when the nodes in
 * front are gone, if there were only one or two. The second node in front is watched so
 * that the queue is listed while the first one still holds the lock, and not between two
 * holders. All methods are steps of the attempt.
 */
final class QueuedNode {

	private final AttemptSteps attempt;

	private final Engine engine;

	private final LockNode node;

	/** Paths of the nodes that the last listing showed in front, and that are there. */
	private final Set<String> inFront = new LinkedHashSet<>(2);

	/** Paths with a watch that has not been used up. */
	private final Set<String> watched = new HashSet<>(2);

	/**
	 * Whether the node is first when those in front are gone. Not after an interruption:
	 * events come in any order then, and that of a node in front says nothing about the
	 * own node.
	 */
	private boolean decisive;

	/** When the first minimum time of a kept lock ends, by the servers' clock. */
	private long firstEnd = Long.MAX_VALUE;

	private boolean queueWatched;

	private @Nullable NodeWatch ownWatch;

	private @Nullable NodeGrant hold;

	private boolean contended;

	private boolean over;

	QueuedNode(AttemptSteps attempt, LockNode node) {
		this.attempt = attempt;
		this.engine = attempt.engine();
		this.node = node;
	}

	String name() {
		return this.node.name();
	}

	String path() {
		return this.node.path();
	}

	/** Find the place of the node, and act on it. */
	void judge(Requests requests, Listing listing, boolean afterCreation) {
		this.attempt.hear(listing, this.node.name());
		if (this.attempt.request().mode() == LockMode.PERMIT) {
			listing.otherPermits(this.attempt.request().permits())
				.ifPresent((other) -> this.engine.disagree(this.attempt.request(), other));
		}
		long time = this.node.serverTimeReached(this.engine.now());
		listing.keptBefore(time)
			.forEach((name) -> this.engine.deletions().delete(this.attempt.lockPath() + "/" + name));
		listing.keptTooLong(time).forEach((name) -> this.engine.ignore(this.attempt.lockPath() + "/" + name));
		Listing now = listing.at(time);
		this.firstEnd = now.firstEnd();
		int current = this.attempt.ask();
		now.place(requests, this.attempt.lockPath(), this.node.name(), this.attempt.request().mode())
			.whenComplete((place, failure) -> this.attempt.make(current, () -> {
				this.attempt.answered();
				if (failure != null) {
					this.attempt.interrupted(Code.CONNECTIONLOSS, State.LOOKING);
				}
				else if (place != null) {
					stand(requests, place);
				}
				else if (afterCreation) {
					this.attempt.restart();
				}
				else {
					// Only a listing sent after the creation shows that the node is gone.
					this.attempt.look();
				}
			}));
	}

	private void stand(Requests requests, Position place) {
		if (place.inFront().isEmpty()) {
			claim();
			return;
		}
		this.contended = true;
		if (Duration.ZERO.equals(this.attempt.request().waitTime())) {
			this.attempt.refuseAndEnd();
			return;
		}
		this.attempt.enter(State.QUEUED);
		if (this.attempt.request().mode() == LockMode.PERMIT) {
			watchQueue(requests);
			return;
		}
		watchOwn(requests);
		this.inFront.clear();
		this.decisive = place.decisive();
		for (String name : place.inFront()) {
			String path = this.attempt.lockPath() + "/" + name;
			this.inFront.add(path);
			if (this.watched.add(path)) {
				requests.watch(path, (code) -> this.attempt.make(() -> watching(requests, path, code)),
						(event) -> this.attempt.make(() -> changed(requests, path, event)));
			}
		}
	}

	/**
	 * Ask again for a lease that is not good yet, or list the queue again when a minimum
	 * time is over. Called at intervals.
	 */
	void resume(Requests requests) {
		if (this.attempt.is(State.CONFIRMING)) {
			confirm();
		}
		else if (this.attempt.is(State.QUEUED) && this.firstEnd <= this.node.serverTimeReached(this.engine.now())
				&& !this.attempt.isAsked()) {
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
			this.ownWatch = new NodeWatch(this.node.path(),
					(event, code) -> this.attempt.make(() -> ownChanged(event, code)));
		}
		this.ownWatch.set(requests);
	}

	private void ownChanged(EventType event, Code code) {
		if (event == EventType.NodeDeleted) {
			ownGone();
		}
		else if (event != EventType.None) {
			if (isWaiting()) {
				this.attempt.look();
			}
		}
		else if (code == Code.OK) {
			this.decisive = false;
		}
		else if (isWaiting()) {
			this.attempt.interrupted(code, State.LOOKING);
		}
	}

	private void ownGone() {
		if (this.hold != null) {
			this.hold.lose();
		}
		else if (!this.over) {
			this.attempt.restart();
		}
	}

	/**
	 * Wait for a change of the queue, because any holder of a permit may be the next to
	 * leave. The listing that sets the watch is judged, so no change is missed. The own
	 * node is a child, so its deletion uses the watch up.
	 */
	private void watchQueue(Requests requests) {
		if (this.queueWatched) {
			return;
		}
		this.queueWatched = true;
		int current = this.attempt.ask();
		requests.list(this.attempt.lockPath(),
				(code, names) -> this.attempt.make(current, () -> listed(requests, code, names)),
				(event) -> this.attempt.make(() -> queueChanged(requests, event)));
	}

	private void listed(Requests requests, Code code, List<String> names) {
		this.attempt.answered();
		if (code == Code.OK) {
			judge(requests, new Listing(names), true);
		}
		else if (code == Code.NONODE) {
			this.attempt.restart();
		}
		else {
			this.queueWatched = false;
			this.attempt.interrupted(code, State.LOOKING);
		}
	}

	/** If a listing is under way, its answer sets the watch again. */
	private void queueChanged(Requests requests, EventType event) {
		if (event == EventType.None) {
			return;
		}
		this.queueWatched = false;
		if (!this.over && this.attempt.is(State.QUEUED) && !this.attempt.isAsked()) {
			watchQueue(requests);
		}
	}

	private void watching(Requests requests, String path, Code code) {
		if (code == Code.NONODE) {
			gone(requests, path);
		}
		else if (code != Code.OK && this.watched.remove(path) && isWaiting()) {
			this.attempt.interrupted(code, State.LOOKING);
		}
	}

	private void changed(Requests requests, String path, EventType event) {
		if (event == EventType.NodeDeleted) {
			gone(requests, path);
		}
		else if (event == EventType.None) {
			this.decisive = false;
		}
		else if (this.watched.remove(path) && isWaiting()) {
			this.attempt.look();
		}
	}

	/**
	 * Continue without a node in front, unless a listing is under way, which shows it
	 * too.
	 */
	private void gone(Requests requests, String path) {
		this.watched.remove(path);
		if (!this.inFront.remove(path) || !isWaiting() || this.attempt.isAsked()) {
			return;
		}
		if (!this.decisive || this.ownWatch == null || !this.ownWatch.isSet()) {
			lookAgain(requests);
		}
		else if (this.inFront.isEmpty()) {
			claim();
		}
	}

	/** List the queue again while the wait continues. */
	private void lookAgain(Requests requests) {
		int current = this.attempt.ask();
		requests.list(this.attempt.lockPath(),
				(code, names) -> this.attempt.make(current, () -> listed(requests, code, names)));
	}

	private boolean isWaiting() {
		return !this.over && (this.attempt.is(State.QUEUED) || this.attempt.is(State.LOOKING));
	}

	/**
	 * Grant the lock if the lease is good. The hold is registered before that is known,
	 * so that whatever ends the session later finds the hold (CURATOR-604).
	 */
	private void claim() {
		SessionLease lease = this.engine.status().leaseOf(this.node.sessionId());
		if (lease == null) {
			this.attempt.restart();
			return;
		}
		LockRequest request = this.attempt.request();
		NodeGrant hold = new NodeGrant(request, this.contended, this.node, lease, this.engine, this.ownWatch);
		this.engine.register(hold);
		if (hold.state() != LockState.VALID) {
			this.engine.deregister(hold);
			this.attempt.enter(State.CONFIRMING);
			confirm();
			return;
		}
		this.hold = hold;
		this.attempt.grantAndEnd(hold);
	}

	/**
	 * Ask a quorum whether the node is still there, which renews the lease. If the lease
	 * is not good afterwards, the timer asks once more.
	 */
	private void confirm() {
		Requests requests = this.engine.requests();
		if (!this.attempt.isAsked() && requests != null) {
			int current = this.attempt.ask();
			long sent = this.engine.now();
			requests.check(this.node.path(), (code) -> this.attempt.make(current, () -> confirmed(code, sent)));
		}
	}

	private void confirmed(Code code, long sent) {
		this.attempt.answered();
		if (code == Code.NONODE) {
			this.attempt.restart();
			return;
		}
		if (code != Code.OK) {
			this.attempt.interrupted(code, State.CONFIRMING);
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
