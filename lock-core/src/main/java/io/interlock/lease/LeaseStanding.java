package io.interlock.lease;

import io.interlock.provider.LockAttempt.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What keeps an attempt from its lock, as far as answers tell. Written by one question at
 * a time, and read by any thread.
 */
final class LeaseStanding {

	private final LeaseParts parts;

	private final LeaseBackoff backoff;

	private final boolean waits;

	private final long begunAt;

	private volatile boolean queued;

	private volatile boolean contended;

	/** Whether the newest answer tells of a contender that this instance releases. */
	private volatile boolean behindGoing;

	private volatile @Nullable Throwable obstacle;

	LeaseStanding(LeaseParts parts, LeaseBackoff backoff, boolean waits) {
		this.parts = parts;
		this.backoff = backoff;
		this.waits = waits;
		this.begunAt = parts.time().nanoTime();
	}

	void answered(LeaseContender contender, long sentAt, LeaseAnswer answer) {
		this.obstacle = null;
		this.behindGoing = !answer.granted() && this.parts.releases().isGoing(contender.lock(), answer.token());
		answerTimes().note(contender, sentAt, !answer.granted() && !this.behindGoing);
		if (!answer.granted() && this.waits) {
			this.contended = true;
			this.queued = true;
		}
	}

	/**
	 * A contender that waits keeps its place unless the failure has changed something.
	 */
	void failed(Throwable ex) {
		if (!this.queued || !LeaseStoreException.isUndone(ex)) {
			this.obstacle = ex;
			this.queued = false;
		}
	}

	void startOver() {
		this.queued = false;
	}

	boolean isQueued() {
		return this.queued;
	}

	boolean isContended() {
		return this.contended;
	}

	boolean isBehindGoing() {
		return this.behindGoing;
	}

	@Nullable Throwable obstacle() {
		return this.obstacle;
	}

	Phase phase(LeaseContender contender) {
		LeaseAnswerTimes answers = answerTimes();
		long overdue = this.backoff.overdueNanos();
		if (this.queued && !this.behindGoing && answers.isAnswering(overdue)) {
			return Phase.QUEUED;
		}
		if (this.obstacle != null) {
			return Phase.CONNECTING;
		}
		boolean taken = this.waits ? answers.isTaken(contender, overdue)
				: answers.isTakenSince(contender, this.begunAt);
		return taken ? Phase.QUEUED : Phase.CREATING;
	}

	private LeaseAnswerTimes answerTimes() {
		return this.parts.connection().answerTimes();
	}

}
