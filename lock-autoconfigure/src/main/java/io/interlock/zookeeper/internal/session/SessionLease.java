package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * How long a session is certainly alive. Invariant: {@link #isGood} implies that the
 * session had not expired on any server when {@code now} was read. It rests on two lower
 * bounds:
 * <ul>
 * <li>When the leader has heard of the session. No answer tells: a follower reports the
 * sessions that it has heard of when its leader pings it, every half {@code tickTime}. So
 * a request counts only after another one, sent a while after its answer, was answered
 * too: then the follower was not cut off before it reported.</li>
 * <li>When the leader was one: a leader without followers answers {@code sync} until it
 * notices, and the next leader counts anew. Only a write shows a quorum.</li>
 * </ul>
 * Times are those of {@link System#nanoTime()}, which goes on while the process is
 * stopped and does not jump with the wall clock.
 *
 * @since 0.1.0
 */
public final class SessionLease {

	private static final Log logger = LogFactory.getLog(SessionLease.class);

	/**
	 * One and a half times the time after which a server with the stock configuration
	 * gives up a silent leader: {@code syncLimit} 5 of {@code tickTime} 2 s.
	 */
	private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(15);

	/**
	 * Half of the longest {@code tickTime} that is supported. Servers refuse sessions
	 * shorter than two ticks, so a quarter of the timeout is enough too.
	 */
	private static final long MAX_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final long sessionId;

	private final long timeoutNanos;

	private final long settleNanos;

	private final AtomicLong newestAnswered;

	private final AtomicLong prolonged;

	private final AtomicLong confirmed;

	private final ReentrantLock lock = new ReentrantLock();

	private final Deque<Answer> unsettled = new ArrayDeque<>();

	/**
	 * Create a lease.
	 * @param sessionId the session
	 * @param timeout negotiated session timeout
	 * @param notBefore a time before the session was created
	 */
	public SessionLease(long sessionId, Duration timeout, long notBefore) {
		this.sessionId = sessionId;
		this.timeoutNanos = timeout.toNanos();
		this.settleNanos = settleNanos(this.timeoutNanos);
		this.newestAnswered = new AtomicLong(notBefore);
		this.prolonged = new AtomicLong(notBefore);
		this.confirmed = new AtomicLong(notBefore);
	}

	/**
	 * Return the lease of the first session that is met.
	 * @param zooKeeper a connected handle
	 * @param notBefore a time before the session was created, or {@code null} if it was
	 * met connected: then its client has pinged every third of the timeout, or it would
	 * not be
	 * @return the lease
	 */
	static SessionLease first(ZooKeeper zooKeeper, @Nullable Long notBefore) {
		Duration timeout = Duration.ofMillis(zooKeeper.getSessionTimeout());
		return (notBefore != null) ? new SessionLease(zooKeeper.getSessionId(), timeout, notBefore)
				: ofConnected(zooKeeper.getSessionId(), timeout, System.nanoTime());
	}

	static SessionLease ofConnected(long sessionId, Duration timeout, long now) {
		return new SessionLease(sessionId, timeout, now - timeout.toNanos() / 3 - settleNanos(timeout.toNanos()));
	}

	/**
	 * Return the lease of the session that a handle has now: it is another session, or
	 * this one. Another one was not created before the newest request of this one was
	 * answered.
	 * @param id the session of a connected handle
	 * @param timeout negotiated timeout of that session
	 * @return the lease
	 */
	public SessionLease continuedBy(long id, Duration timeout) {
		return (this.sessionId == id && timeout().equals(timeout)) ? this
				: new SessionLease(id, timeout, this.newestAnswered.get());
	}

	private static long settleNanos(long timeoutNanos) {
		return Math.min(timeoutNanos / 4, MAX_SETTLE_NANOS);
	}

	void warnIfShort() {
		if (timeout().compareTo(SHORT_TIMEOUT) < 0) {
			logger.warn(("The negotiated session timeout is %s. Below %s a server that is cut off from its leader can "
					+ "outlive the session (syncLimit), and a pause of this JVM costs its locks sooner: raise "
					+ "interlock.zookeeper.session-timeout, and maxSessionTimeout on the servers")
				.formatted(timeout(), SHORT_TIMEOUT));
		}
	}

	public long sessionId() {
		return this.sessionId;
	}

	Duration timeout() {
		return Duration.ofNanos(this.timeoutNanos);
	}

	/**
	 * Note that the leader has answered a request of this session.
	 * @param sentAt when it was sent
	 * @param now when the answer is noted
	 */
	void answered(long sentAt, long now) {
		advance(this.newestAnswered, sentAt);
		this.lock.lock();
		try {
			Answer oldest = this.unsettled.peekFirst();
			while (oldest != null && sentAt - oldest.answeredAt() >= this.settleNanos) {
				advance(this.prolonged, oldest.sentAt());
				this.unsettled.removeFirst();
				oldest = this.unsettled.peekFirst();
			}
			Answer newest = this.unsettled.peekLast();
			if (newest == null || now - newest.answeredAt() >= this.settleNanos / 8) {
				this.unsettled.addLast(new Answer(sentAt, now));
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Note that a quorum has answered a request of this session.
	 * @param sentAt when it was sent
	 * @param now when the answer is noted
	 */
	public void confirmed(long sentAt, long now) {
		advance(this.confirmed, sentAt);
		answered(sentAt, now);
	}

	/**
	 * Note that the session was taken up on another connection: the leader was told so,
	 * after everything that was answered before.
	 */
	public void resumed() {
		advance(this.prolonged, this.newestAnswered.get());
	}

	private static void advance(AtomicLong time, long to) {
		time.accumulateAndGet(to, (left, right) -> (right - left > 0) ? right : left);
	}

	/**
	 * Two thirds of the timeout: where ZooKeeper's own client gives up a connection.
	 * @param now time of this call
	 * @return whether the session is certainly alive
	 */
	public boolean isGood(long now) {
		long limit = this.timeoutNanos / 3 * 2;
		return now - this.prolonged.get() < limit && now - this.confirmed.get() < limit;
	}

	/**
	 * Return whether a quorum has answered recently enough that no beat is due.
	 * @param now time of this call
	 * @param beatNanos how often to ask
	 */
	public boolean isYoung(long now, long beatNanos) {
		return now - this.confirmed.get() < beatNanos;
	}

	/**
	 * One third: two beats were due since.
	 */
	boolean isFresh(long now) {
		return age(now) < this.timeoutNanos / 3;
	}

	/**
	 * Return how often to ask while something is held or waits: one twelfth of the
	 * timeout. An outage may then last for three quarters of it, because reconnecting
	 * takes about a second and the holds end at nine tenths.
	 * @return nanoseconds
	 */
	public long busyBeatNanos() {
		return this.timeoutNanos / 12;
	}

	/**
	 * Return how often to ask otherwise, so that the newest request that has settled is
	 * never old.
	 * @return nanoseconds
	 */
	long idleBeatNanos() {
		return (this.timeoutNanos / 6 >= this.settleNanos) ? this.timeoutNanos / 6 : this.timeoutNanos / 12;
	}

	/**
	 * Nine tenths: the holds are given up before the servers may do it.
	 */
	public boolean isOver(long now) {
		return age(now) >= this.timeoutNanos / 10 * 9;
	}

	private long age(long now) {
		return now - this.newestAnswered.get();
	}

	/**
	 * An answered request that may not have prolonged the session yet.
	 */
	private record Answer(long sentAt, long answeredAt) {

	}

}
