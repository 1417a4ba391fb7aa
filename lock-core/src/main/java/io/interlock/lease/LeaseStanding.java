package io.interlock.lease;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;

import io.interlock.LockId;
import io.interlock.provider.LockAttempt.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What keeps an attempt from its lock, as far as answers tell. Written by one question at
 * a time, and read by any thread.
 */
final class LeaseStanding {

	private static final long NONE = -1;

	private static final CompletableFuture<@Nullable Void> RELEASED = CompletableFuture.completedFuture(null);

	private final LeaseParts parts;

	private final LeaseBackoff backoff;

	private final boolean waits;

	private final long begunAt;

	/** An earlier release of the lock that the first question may overtake. */
	private @Nullable CompletableFuture<@Nullable Void> overtaken;

	private volatile long sentAt;

	private volatile boolean telling;

	private volatile boolean queued;

	private volatile boolean contended;

	/** Whether the newest answer tells of a contender that this instance releases. */
	private volatile boolean behindGoing;

	/** The newest token that this instance has had since the newest question, or -1. */
	private volatile long heldHere = NONE;

	/**
	 * The same between the answer before and the newest question, until that is answered.
	 */
	private volatile long heldBefore = NONE;

	/** The newest token, 0 for a waiter, that it has released since then, or -1. */
	private volatile long releasedHere = NONE;

	/** Whether that token is the one that the newest answer tells of. */
	private volatile boolean behindReleased;

	/** Whether this instance was granted a hold that excludes this attempt meanwhile. */
	private volatile boolean excludedHere;

	private volatile @Nullable Throwable obstacle;

	LeaseStanding(LeaseParts parts, LeaseBackoff backoff, boolean waits) {
		this.parts = parts;
		this.backoff = backoff;
		this.waits = waits;
		this.begunAt = parts.time().nanoTime();
	}

	void overtakes(@Nullable CompletableFuture<@Nullable Void> release) {
		this.overtaken = release;
	}

	/** A question is sent, and what it finds taken may be held by this instance. */
	synchronized void begin() {
		this.telling = this.parts.connection().isTelling();
		this.sentAt = this.parts.time().nanoTime();
		this.heldBefore = Math.max(this.heldHere, this.heldBefore);
		this.heldHere = NONE;
		this.releasedHere = NONE;
	}

	synchronized void grantedHere(long token, boolean excluded) {
		this.heldHere = Math.max(token, this.heldHere);
		this.excludedHere = this.excludedHere || excluded;
	}

	synchronized void releasedHere(long token) {
		this.heldHere = Math.max(token, this.heldHere);
		this.releasedHere = Math.max(token, this.releasedHere);
	}

	/**
	 * Note an answer. It tells of others unless the holder that it names is one of this
	 * instance, or may be one whose own answer is not here yet.
	 * @param askedBefore whether an attempt of this instance at the lock has no answer to
	 * a question that was sent before a moment
	 */
	void answered(LeaseContender contender, LeaseAnswer answer, LongPredicate askedBefore) {
		this.obstacle = null;
		this.parts.kept().held(contender.lock(), answer.token());
		this.behindGoing = !answer.granted() && this.parts.releases().isGoing(contender.lock(), answer.token());
		this.behindReleased = !answer.granted() && answer.token() == this.releasedHere;
		if (answer.granted() || this.behindGoing) {
			answerTimes().noteFree(contender);
		}
		else {
			answerTimes().noteTaken(contender, this.sentAt, answer.token(),
					(since) -> answer.token() > this.heldHere && !askedBefore.test(since));
		}
		this.heldBefore = NONE;
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

	boolean isWorthAnotherQuestion(Throwable ex) {
		return LeaseStoreException.mayPass(ex)
				&& (LeaseStoreException.isUndone(ex) || !this.parts.settings().failFast());
	}

	/** Return whether an answer is wanted although its caller has given up. */
	boolean isNews(LeaseContender contender) {
		return answerTimes().misses(contender);
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

	/**
	 * Return the release by this instance that a refused caller asks again after, or
	 * {@code null} if others are in its way.
	 */
	@Nullable CompletableFuture<@Nullable Void> takeReleaseInFront(LockId lock) {
		CompletableFuture<@Nullable Void> release = this.overtaken;
		this.overtaken = null;
		if (release == null && this.behindReleased) {
			return RELEASED;
		}
		return (release == null && this.behindGoing) ? this.parts.releases().newest(lock) : release;
	}

	/** Return when the newest question was sent. */
	long sentAt() {
		return this.sentAt;
	}

	/** Return whether releases were told since the newest question, and are told now. */
	boolean isToldOfReleases() {
		return this.telling && this.parts.connection().isTelling();
	}

	/**
	 * Return whether others are known to be in the way.
	 * @param own the holds of this instance, none of which is another one's
	 */
	boolean isToldOfOthers(LeaseContender contender, List<LeaseGrant> own) {
		LockId lock = contender.lock();
		long token = answerTimes().tokenOfOthers(contender);
		return token > Math.max(this.heldHere, this.heldBefore) && !this.parts.releases().isGoing(lock, token)
				&& own.stream()
					.noneMatch((hold) -> hold.fencingToken() == token && hold.contender().lock().equals(lock));
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
		boolean meanwhile = this.waits && isTakenMeanwhile(contender);
		Throwable obstacle = this.obstacle;
		if (obstacle != null) {
			return (meanwhile && LeaseStoreException.isUndone(obstacle)) ? Phase.QUEUED : Phase.CONNECTING;
		}
		boolean taken = this.waits ? meanwhile || answers.isTaken(contender, overdue)
				: answers.isTakenSince(contender, this.begunAt);
		return taken ? Phase.QUEUED : Phase.CREATING;
	}

	/**
	 * Return whether others had the lock during this wait, as the store has told other
	 * attempts of this instance, which it still answers.
	 */
	private boolean isTakenMeanwhile(LeaseContender contender) {
		LeaseAnswerTimes answers = answerTimes();
		return answers.isAnswering() && (this.excludedHere || answers.isReportedSince(contender, this.begunAt));
	}

	private LeaseAnswerTimes answerTimes() {
		return this.parts.connection().answerTimes();
	}

}
