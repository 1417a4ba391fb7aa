package io.interlock.zookeeper;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The ZooKeeper session of this instance at one moment, known without any I/O.
 *
 * @param state state of the connection
 * @param since when that state was entered, by the wall clock of this machine
 * @param sessionId id of the session, or {@code null} before the first connection
 * @param negotiatedTimeout session timeout that the server granted, or {@code null}
 * before the first connection
 * @param answerAge how long ago the newest request that the servers have answered was
 * sent, or {@code null} while there is no session. The servers are asked every sixth of
 * the session timeout, and every twelfth while locks are held or waited for
 * @param late whether the client is connected and the servers have not answered a request
 * for a twelfth of the session timeout, at least for a second
 * @since 0.1.0
 */
public record SessionSnapshot(State state, Instant since, @Nullable Long sessionId,
		@Nullable Duration negotiatedTimeout, @Nullable Duration answerAge, boolean late) {

	/**
	 * Return the state as locks feel it: servers that are silent serve no more than those
	 * that are away.
	 */
	public State usableState() {
		return this.late ? State.SUSPENDED : this.state;
	}

	/** State of the connection. */
	public enum State {

		/** Never connected so far. */
		CONNECTING,

		/** Connected. */
		CONNECTED,

		/** The connection is lost, the session may still be alive. */
		SUSPENDED,

		/** The session is gone, and there is no other one yet. */
		LOST,

		/** The client was closed. */
		CLOSED

	}

}
