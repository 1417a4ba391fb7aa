package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.SessionSnapshot.State;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * What is known about the session at one moment. Immutable.
 * <p>
 * Servers have answered lately until a beat has had no answer when the next one is due,
 * and for a third of the timeout if there is no beat. A beat that was sent a moment ago
 * says nothing: each one is unanswered for a round trip, and a pause of this JVM or a
 * slow disk delays it. Answers come in the order of the requests, so a beat stands for
 * all that was asked before, and one clock is read: that of the requests.
 *
 * @param lease lease of the session, or {@code null} while there is none
 * @param epoch changes whenever the connection is interrupted
 * @param handle number of the handle that had this session
 * @param zooKeeper that handle, or {@code null} while there was none
 * @since 0.1.0
 */
public record SessionStatus(State state, Instant since, @Nullable SessionLease lease, long epoch, long handle,
		@Nullable ZooKeeper zooKeeper) {

	public static SessionStatus initial() {
		return new SessionStatus(State.CONNECTING, Instant.now(), null, 0, 0, null);
	}

	public SessionStatus connected(SessionLease lease, long handle, ZooKeeper zooKeeper) {
		// A session keeps its handle: a newer handle shows that its end has begun.
		long first = (lease == this.lease) ? this.handle : handle;
		return new SessionStatus(State.CONNECTED, Instant.now(), lease, this.epoch, first, zooKeeper);
	}

	public SessionStatus left(State state) {
		SessionLease kept = (state == State.SUSPENDED) ? this.lease : null;
		return new SessionStatus(state, Instant.now(), kept, this.epoch + 1, this.handle, this.zooKeeper);
	}

	public boolean isConnected() {
		return this.state == State.CONNECTED;
	}

	public boolean isClosed() {
		return this.state == State.CLOSED;
	}

	/** Return the lease of a session; {@code null} if it is not the current one. */
	public @Nullable SessionLease leaseOf(long sessionId) {
		SessionLease current = this.lease;
		return (current != null && current.sessionId() == sessionId) ? current : null;
	}

	boolean canBecome(State next) {
		return this.state != next && !isClosed() && (this.lease != null || next == State.CLOSED);
	}

	/**
	 * Return whether a session has ended, or is about to. Curator closes sessions that
	 * may still be alive, for a reset or a new connect string, and tells afterwards; but
	 * it counts its handles before.
	 */
	public boolean hasEnded(SessionLease session, long number) {
		return this.lease != session || this.handle != number;
	}

	public boolean answersLately(long now) {
		SessionLease current = this.lease;
		return isConnected() && current != null && current.isFresh(now) && !current.isLate(now);
	}

	public SessionSnapshot snapshot() {
		SessionLease session = this.lease;
		if (session == null) {
			return new SessionSnapshot(this.state, this.since, null, null, null, false);
		}
		long now = System.nanoTime();
		return new SessionSnapshot(this.state, this.since, session.sessionId(), session.timeout(),
				Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(session.age(now))),
				isConnected() && session.isLate(now));
	}

}
