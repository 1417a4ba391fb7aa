package io.interlock.curator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * How long a session surely stands. The servers count its timeout from the last request
 * that a quorum has seen; the client knows a lower bound of that moment: when the newest
 * <em>answered</em> one was <em>sent</em>. Invariant: {@link #isGood} implies that the
 * session had not expired on any server when {@code now} was read.
 * <p>
 * Times are those of {@link System#nanoTime()}, which goes on while the process is
 * stopped and does not jump with the wall clock.
 */
final class SessionLease {

	private static final Log logger = LogFactory.getLog(SessionLease.class);

	/**
	 * One and a half times what a server of the stock configuration waits for a silent
	 * leader: {@code syncLimit} 5 of {@code tickTime} 2 s.
	 */
	private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(15);

	private final long sessionId;

	private final long timeoutNanos;

	private final AtomicLong newestAnswered;

	/**
	 * Create a lease that is not good yet: connecting proves nothing about when the
	 * servers began to count.
	 * @param sessionId the session
	 * @param timeout negotiated session timeout
	 * @param now the time
	 */
	SessionLease(long sessionId, Duration timeout, long now) {
		this.sessionId = sessionId;
		this.timeoutNanos = timeout.toNanos();
		this.newestAnswered = new AtomicLong(now - this.timeoutNanos);
	}

	/**
	 * Return the lease of the session that a handle has.
	 * @param zooKeeper a connected handle
	 * @param before the lease that was known before
	 * @return that lease if it is the same session still, or a new one
	 */
	static SessionLease of(ZooKeeper zooKeeper, @Nullable SessionLease before) {
		long id = zooKeeper.getSessionId();
		Duration timeout = Duration.ofMillis(zooKeeper.getSessionTimeout());
		return (before != null && before.sessionId == id && before.timeout().equals(timeout)) ? before
				: new SessionLease(id, timeout, System.nanoTime());
	}

	void warnIfShort() {
		if (timeout().compareTo(SHORT_TIMEOUT) < 0) {
			logger.warn(("The negotiated session timeout is %s. Below %s a server that is cut off from its leader can "
					+ "outlive the session (syncLimit), and a pause of this JVM costs its locks sooner: raise "
					+ "interlock.zookeeper.session-timeout, and maxSessionTimeout on the servers")
				.formatted(timeout(), SHORT_TIMEOUT));
		}
	}

	long sessionId() {
		return this.sessionId;
	}

	Duration timeout() {
		return Duration.ofNanos(this.timeoutNanos);
	}

	/**
	 * Note that a request which needs a quorum was answered in this session.
	 * @param sentAt when it was sent
	 */
	void answered(long sentAt) {
		this.newestAnswered.accumulateAndGet(sentAt, (left, right) -> (right - left > 0) ? right : left);
	}

	/**
	 * Two thirds of the timeout: where ZooKeeper's own client gives up a connection.
	 */
	boolean isGood(long now) {
		return age(now) < this.timeoutNanos / 3 * 2;
	}

	/**
	 * One third: two beats were due since.
	 */
	boolean isFresh(long now) {
		return age(now) < this.timeoutNanos / 3;
	}

	/**
	 * One sixth: time to ask again.
	 */
	boolean isDue(long now) {
		return age(now) >= beatNanos();
	}

	long beatNanos() {
		return this.timeoutNanos / 6;
	}

	/**
	 * Nine tenths: the holds are given up before the servers may do it.
	 */
	boolean isOver(long now) {
		return age(now) >= this.timeoutNanos / 10 * 9;
	}

	private long age(long now) {
		return now - this.newestAnswered.get();
	}

}
