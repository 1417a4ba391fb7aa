package io.interlock.zookeeper.internal.engine;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * The watch of a waiter's own node: an operator may delete it. It stays with the hold
 * that the wait ends with. Invariant: while it {@link #isSet}, and the connection stands,
 * the end of the own node is told before that of a later one. All methods are steps of
 * the attempt.
 */
final class OwnWatch {

	private final Turn turn;

	private final Steps steps;

	private boolean asked;

	private boolean answered;

	private @Nullable NodeGrant hold;

	OwnWatch(Turn turn, Steps steps) {
		this.turn = turn;
		this.steps = steps;
	}

	/** Set the watch, unless it is set or about to be. */
	void set(Requests requests) {
		if (this.asked) {
			return;
		}
		this.asked = true;
		requests.watch(this.turn.node().path(), (code) -> this.steps.make(() -> answered(code)),
				(event) -> this.steps.make(() -> changed(event)));
	}

	/** Return whether it was answered, and has not been used up. */
	boolean isSet() {
		return this.answered;
	}

	void passTo(NodeGrant hold) {
		this.hold = hold;
		if (this.asked) {
			hold.watchedAlready();
		}
	}

	private void answered(Code code) {
		if (code == Code.OK) {
			this.answered = true;
		}
		else if (code == Code.NONODE) {
			gone();
		}
		else {
			remove();
			this.turn.ownWatchFailed(code);
		}
	}

	/**
	 * Act on an event. One that is not a deletion uses the watch up: the data of the node
	 * was changed, or another attempt has removed the watches of this client.
	 */
	private void changed(EventType event) {
		if (event == EventType.NodeDeleted) {
			gone();
		}
		else if (event == EventType.None) {
			this.turn.connectionChanged();
		}
		else {
			remove();
			this.turn.ownWatchUsedUp();
		}
	}

	private void remove() {
		this.asked = false;
		this.answered = false;
		if (this.hold != null) {
			this.hold.watchedNoMore();
		}
	}

	private void gone() {
		if (this.hold != null) {
			this.hold.lose();
		}
		else {
			this.turn.ownGone();
		}
	}

}
