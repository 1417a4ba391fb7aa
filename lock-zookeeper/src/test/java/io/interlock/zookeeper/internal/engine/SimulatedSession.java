package io.interlock.zookeeper.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * A session as the leader knows it. The leader ends it at the earliest when it has heard
 * nothing of it for the session timeout. Not modelled: pings, so that only writes prolong
 * it.
 */
final class SimulatedSession {

	final int id;

	/** The client that began the session. */
	final int client;

	boolean alive = true;

	/** The server that the session is at. It refuses the requests left at another one. */
	int server;

	int touchedAt;

	@Nullable SimulatedConnection connection;

	/** Writes on their way to the leader from a connection that is gone. */
	final Deque<SimulatedRequest> late = new ArrayDeque<>(2);

	SimulatedSession(int id, int client, int server, int now) {
		this.id = id;
		this.client = client;
		this.server = server;
		this.touchedAt = now;
	}

	@Override
	public String toString() {
		return "s" + this.id;
	}

}
