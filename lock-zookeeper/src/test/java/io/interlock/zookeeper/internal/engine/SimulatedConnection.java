package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A connection of a session to a server. Requests are answered in their order, and what
 * the server sends arrives in its order. The watches of a server belong to the
 * connection: at most one for each node, and one for the children.
 */
final class SimulatedConnection {

	final SimulatedSession session;

	final int server;

	final List<SimulatedRequest> requests = new ArrayList<>();

	/** Number of requests at the front that the leader need not look at any more. */
	int taken;

	/** What the server has sent: answered requests, and events. */
	final Deque<SimulatedMessage> sent = new ArrayDeque<>();

	final List<String> watches = new ArrayList<>(4);

	boolean watchesChildren;

	SimulatedConnection(SimulatedSession session, int server) {
		this.session = session;
		this.server = server;
	}

	/** Return the next write for the leader, which takes those of a session in order. */
	@Nullable SimulatedRequest nextWrite() {
		while (this.taken < this.requests.size()) {
			SimulatedRequest next = this.requests.get(this.taken);
			if (next.kind.isForLeader && !next.done) {
				return next;
			}
			this.taken++;
		}
		return null;
	}

	SimulatedRequest removeFirst() {
		this.taken = Math.max(0, this.taken - 1);
		return this.requests.remove(0);
	}

}
