package io.interlock.curator;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

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
