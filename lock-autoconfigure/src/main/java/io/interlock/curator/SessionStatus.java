package io.interlock.curator;

import java.time.Instant;

import io.interlock.curator.SessionSnapshot.State;
import org.jspecify.annotations.Nullable;

/**
 * What is known about the session at one moment. Immutable.
 *
 * @param state state of the connection
 * @param since when that state was entered
 * @param lease lease of the session, or {@code null} while there is none
 * @param epoch changes whenever the connection is interrupted
 */
record SessionStatus(State state, Instant since, @Nullable SessionLease lease, long epoch) {

	static SessionStatus initial() {
		return new SessionStatus(State.CONNECTING, Instant.now(), null, 0);
	}

	SessionStatus connected(SessionLease lease) {
		return new SessionStatus(State.CONNECTED, Instant.now(), lease, this.epoch);
	}

	SessionStatus left(State state) {
		SessionLease kept = (state == State.SUSPENDED) ? this.lease : null;
		return new SessionStatus(state, Instant.now(), kept, this.epoch + 1);
	}

	boolean isConnected() {
		return this.state == State.CONNECTED;
	}

	boolean isClosed() {
		return this.state == State.CLOSED;
	}

	/**
	 * Return whether there is anything to leave for another state.
	 * @param next the other state
	 * @return whether it would be a change
	 */
	boolean mayLeaveFor(State next) {
		return this.state != next && !isClosed() && (this.lease != null || next == State.CLOSED);
	}

	/**
	 * Return whether a session surely stands. The clock is read last.
	 * @param session the lease of the session
	 * @return whether it was good when the clock was read
	 */
	boolean isGood(SessionLease session) {
		return isConnected() && this.lease == session && session.isGood(System.nanoTime());
	}

	boolean answersLately() {
		return isConnected() && this.lease != null && this.lease.isFresh(System.nanoTime());
	}

	SessionSnapshot snapshot() {
		SessionLease session = this.lease;
		return new SessionSnapshot(this.state, this.since, (session != null) ? session.sessionId() : null,
				(session != null) ? session.timeout() : null);
	}

}
