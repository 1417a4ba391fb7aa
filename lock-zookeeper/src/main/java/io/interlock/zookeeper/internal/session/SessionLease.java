package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
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
 * A bound takes three kinds of times. The first is before the session was created. The
 * next ones are those of requests that count. When the session is taken up on another
 * connection, it is that of the newest answered request, because the leader is asked then
 * and was not before; or the time at which that connection was begun, if that is known.
 * <p>
 * After an interruption a bound may be so old that it ends before the next answer has
 * settled. {@link #isSteady()} is {@code false} until then, so that validity comes back
 * once. It is asked in addition, so it makes no session valid that is not good.
 * <p>
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

	/**
	 * Shorter delays may come from a pause of this JVM instead of a server that hangs.
	 */
	private static final long MIN_LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final long sessionId;

	private final long timeoutNanos;

	private final long settleNanos;

	private final LowerBound prolonged;

	private final LowerBound confirmed;

	private final Deque<Answer> unsettled = new ArrayDeque<>();

	private volatile long newestAnswered;

	private volatile @Nullable Long unansweredSince;

	/** Create a lease of a session that was created after {@code notBefore}. */
	public SessionLease(long sessionId, Duration timeout, long notBefore) {
		this(sessionId, timeout, notBefore, notBefore);
	}

	private SessionLease(long sessionId, Duration timeout, long heardAfter, long quorumAfter) {
		this.sessionId = sessionId;
		this.timeoutNanos = timeout.toNanos();
		this.settleNanos = settleNanos(this.timeoutNanos);
		this.newestAnswered = heardAfter;
		long limit = this.timeoutNanos / 3 * 2;
		this.prolonged = new LowerBound(heardAfter, limit, this.settleNanos + busyBeatNanos());
		this.confirmed = new LowerBound(quorumAfter, limit, busyBeatNanos());
	}

	/**
	 * Return the lease of a session that is connected when it is first seen. Its client
	 * pings in every third of the timeout, so the servers have heard of the session that
	 * recently. If the client is known to have started later, its start counts, because
	 * no session of a client is older than the client.
	 */
	static SessionLease ofConnected(long id, Duration timeout, long now, @Nullable Long startedAt) {
		long pinged = now - timeout.toNanos() / 3 - settleNanos(timeout.toNanos());
		boolean startedLater = startedAt != null && startedAt - pinged > 0;
		return new SessionLease(id, timeout, startedLater ? startedAt : pinged);
	}

	/** Return the lease of the session that a handle has now: another one, or this. */
	public SessionLease continuedBy(long id, Duration timeout) {
		return (this.sessionId == id && timeout().equals(timeout)) ? this : succeededBy(id, timeout);
	}

	/**
	 * Return the lease of the session that a handle has after this lease was given up.
	 * The servers created or resumed it after they had answered the newest request of
	 * this lease. Only a creation takes a quorum.
	 */
	SessionLease succeededBy(long id, Duration timeout) {
		long heard = this.newestAnswered;
		return new SessionLease(id, timeout, heard, (id == this.sessionId) ? this.confirmed.time : heard);
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

	synchronized void asked(long sentAt) {
		if (this.unansweredSince == null) {
			this.unansweredSince = sentAt;
		}
	}

	/**
	 * Note that a beat is over: it was answered, or its connection broke. The answer to a
	 * later request says the same of a beat that was never sent.
	 */
	synchronized void returned(long sentAt) {
		Long since = this.unansweredSince;
		if (since != null && sentAt - since >= 0) {
			this.unansweredSince = null;
		}
	}

	/** Note that a quorum has answered a request of this session. */
	public synchronized void confirmed(long sentAt, long now) {
		this.confirmed.advance(sentAt, now);
		answered(sentAt, now);
	}

	/** Note that the leader has answered a request of this session. */
	synchronized void answered(long sentAt, long now) {
		returned(sentAt);
		if (sentAt - this.newestAnswered > 0) {
			this.newestAnswered = sentAt;
		}
		Answer oldest = this.unsettled.peekFirst();
		while (oldest != null && sentAt - oldest.answeredAt() >= this.settleNanos) {
			this.prolonged.advance(oldest.sentAt(), now);
			this.unsettled.removeFirst();
			oldest = this.unsettled.peekFirst();
		}
		Answer newest = this.unsettled.peekLast();
		if (newest != null && now - newest.firstAnsweredAt() < this.settleNanos / 8) {
			this.unsettled.removeLast();
			this.unsettled.addLast(newest.with(sentAt, now));
		}
		else {
			this.unsettled.addLast(new Answer(sentAt, now, now));
		}
	}

	/**
	 * Note that the session was taken up on another connection: the leader was told so,
	 * after everything that was answered before. Comes before the first request on it.
	 */
	public void resumed(long now) {
		resumed(now, null);
	}

	/**
	 * Note the same of a connection that was begun after a known time, if that is not
	 * {@code null}.
	 */
	synchronized void resumed(long now, @Nullable Long connectedAfter) {
		this.unsettled.clear();
		this.prolonged.advance(this.newestAnswered, now);
		if (connectedAfter != null) {
			this.prolonged.advance(connectedAfter, now);
		}
		this.prolonged.regain(now);
		this.confirmed.regain(now);
	}

	/** Two thirds of the timeout: where ZooKeeper's own client gives up a connection. */
	public boolean isGood(long now) {
		return this.prolonged.holds(now) && this.confirmed.holds(now);
	}

	/** Return whether a lease that is good stays so, as long as the servers answer. */
	public boolean isSteady() {
		return this.prolonged.lasts() && this.confirmed.lasts();
	}

	/**
	 * Return whether to send a request before the next beat, because little is left of
	 * the lease. The first request on a connection is one, and the request that settles
	 * the oldest answer.
	 */
	synchronized boolean isUrgent(long now, long lastSentAt) {
		if (!this.prolonged.isShort(now) && this.prolonged.lasts()) {
			return false;
		}
		Answer oldest = this.unsettled.peekFirst();
		long from = (oldest != null) ? oldest.answeredAt() + this.settleNanos : this.prolonged.regainedAt;
		return now - from >= 0 && lastSentAt - from < 0;
	}

	/** Return whether a quorum has answered recently enough that no beat is due. */
	public boolean isYoung(long now, long beatNanos) {
		return this.confirmed.age(now) < beatNanos;
	}

	/**
	 * Return whether the newest answer is younger than a third of the timeout, in which
	 * two beats are due.
	 */
	boolean isFresh(long now) {
		return age(now) < this.timeoutNanos / 3;
	}

	/**
	 * Return whether a request is unanswered for a beat, long before the client notices.
	 */
	boolean isLate(long now) {
		Long asked = this.unansweredSince;
		return asked != null && now - asked >= Math.max(busyBeatNanos(), MIN_LATE_NANOS);
	}

	/**
	 * How often to ask while something is held or waits. An outage may then last for
	 * three quarters of the timeout, because reconnecting takes about a second and the
	 * holds end at nine tenths.
	 */
	public long busyBeatNanos() {
		return this.timeoutNanos / 12;
	}

	/** How often to ask otherwise, so that the newest settled request is never old. */
	long idleBeatNanos() {
		return (this.timeoutNanos / 6 >= this.settleNanos) ? this.timeoutNanos / 6 : this.timeoutNanos / 12;
	}

	/** Nine tenths: the holds are given up before the servers may do it. */
	public boolean isOver(long now) {
		return age(now) >= this.timeoutNanos / 10 * 9;
	}

	/**
	 * Return whether an answer is younger than a sixth of the timeout: two busy beats.
	 */
	public boolean isRecent(long answeredAt, long now) {
		return now - answeredAt < this.timeoutNanos / 6;
	}

	public long age(long now) {
		return now - this.newestAnswered;
	}

	/**
	 * Requests that were answered at about the same time and may not have prolonged the
	 * session yet: when the newest of them was sent, and the latest time of an answer. A
	 * thread may note an answer long after it has read the clock.
	 */
	private record Answer(long sentAt, long answeredAt, long firstAnsweredAt) {

		Answer with(long sentAt, long answeredAt) {
			return new Answer(later(this.sentAt, sentAt), later(this.answeredAt, answeredAt), this.firstAnsweredAt);
		}

		private static long later(long left, long right) {
			return (right - left > 0) ? right : left;
		}

	}

	/**
	 * A time after which something certainly happened, for example that the servers heard
	 * of a session. It only grows, and it holds for a limited time. Invariant: a reader
	 * that sees a time also sees when it was regained, because that is written first. Has
	 * one writer at a time and many readers.
	 */
	private static final class LowerBound {

		private final long limitNanos;

		private final long shortNanos;

		private volatile long time;

		private volatile long regainedAt;

		/** {@code shortNanos}: when less than this is left, it has to be renewed soon. */
		LowerBound(long time, long limitNanos, long shortNanos) {
			this.limitNanos = limitNanos;
			this.shortNanos = shortNanos;
			this.time = time;
			this.regainedAt = time;
		}

		/**
		 * Note a time, which counts if it is later. A bound that held no more is
		 * regained.
		 */
		void advance(long to, long now) {
			if (!holds(now)) {
				this.regainedAt = now;
			}
			if (to - this.time > 0) {
				this.time = to;
			}
		}

		/** Note that what rests on this bound was interrupted until now. */
		void regain(long now) {
			this.regainedAt = now;
		}

		long age(long now) {
			return now - this.time;
		}

		boolean holds(long now) {
			return age(now) < this.limitNanos;
		}

		boolean isShort(long now) {
			return age(now) >= this.limitNanos - this.shortNanos;
		}

		/**
		 * Return whether it was renewed after it was regained, or had enough time left
		 * then.
		 */
		boolean lasts() {
			long current = this.time;
			return this.regainedAt - current < this.limitNanos - this.shortNanos;
		}

	}

}
