package io.interlock.lease;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

import io.interlock.LockId;
import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Tells a slow store from a silent one, for contenders that wait. A store is silent when
 * a question is unanswered for longer than several answers took lately, counted from when
 * it was due, and no contender has had an answer for a second. The first bound is for
 * slow stores, and at most a third of a lease; the second one is for pauses of this JVM.
 */
final class LeaseAnswerTimes {

	private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** Answers in whose time a question has its own, though the store becomes slower. */
	private static final int ANSWERS = 3;

	private final LeaseTime time;

	private final long silenceNanos;

	private final long longestNanos;

	/** The newest report of a lock as taken, to a contender of a mode. */
	private final Map<Contended, Taken> taken = new ConcurrentHashMap<>();

	/** When a lock was reported as taken last, whether or not it was free since. */
	private final Map<Contended, Long> reported = new ConcurrentHashMap<>();

	/** Contenders that have given up, and whose questions go on. */
	private final Map<Contended, LeaseContender> missed = new ConcurrentHashMap<>();

	private final int mostMissed;

	private volatile long answeredAt;

	private volatile long usualNanos;

	LeaseAnswerTimes(LeaseTime time, LeaseSettings settings) {
		this.time = time;
		this.silenceNanos = SILENCE_NANOS + 2 * settings.pollInterval().toNanos();
		this.longestNanos = settings.lease().toNanos() / 3;
		this.mostMissed = Math.max(1, settings.threads() / 2);
		this.answeredAt = time.nanoTime();
	}

	void answered(long sentAt) {
		long now = this.time.nanoTime();
		noteTime(now - sentAt);
		this.answeredAt = now;
	}

	/** Note that nothing is known to have a lock that this instance does not release. */
	void noteFree(LeaseContender contender) {
		this.taken.remove(Contended.by(contender));
	}

	/**
	 * Note that a contender has a lock, or waits for it, that this instance does not
	 * release.
	 * @param token the token of the holder, or 0
	 * @param byOthers whether that is known to be another instance, by the moment since
	 * which the same token is reported
	 */
	void noteTaken(LeaseContender contender, long sentAt, long token, LongPredicate byOthers) {
		long now = this.time.nanoTime();
		this.reported.put(Contended.by(contender), now);
		this.taken.compute(Contended.by(contender), (contended, before) -> {
			long since = (before != null && before.token() == token) ? before.since() : now;
			return new Taken(now, sentAt, token, since, byOthers.test(since));
		});
	}

	/**
	 * Return the token of the newest report of a lock as taken that may tell of others,
	 * or -1.
	 */
	long tokenOfOthers(LeaseContender contender) {
		Taken taken = this.taken.get(Contended.by(contender));
		return (taken != null && taken.byOthers()) ? taken.token() : -1;
	}

	/** Follow a store that becomes slower at once, and a faster one by and by. */
	private synchronized void noteTime(long nanos) {
		long faster = this.usualNanos + (nanos - this.usualNanos) / 4;
		this.usualNanos = Math.max(nanos, faster);
	}

	/** Return whether contenders whose question was due so long ago get answers. */
	boolean isAnswering(long overdueNanos) {
		return isRecent(this.answeredAt, overdueNanos);
	}

	/** Return whether the store has answered lately, whatever was asked. */
	boolean isAnswering() {
		return this.time.nanoTime() - this.answeredAt < this.silenceNanos;
	}

	/**
	 * Return whether the store has reported a lock as taken since a moment, to a
	 * contender of the same mode, or to any if the lock is wanted alone.
	 */
	boolean isReportedSince(LeaseContender contender, long moment) {
		return Arrays.stream(LockMode.values())
			.filter((mode) -> contender.mode() == LockMode.EXCLUSIVE || contender.mode() == mode)
			.map((mode) -> this.reported.get(new Contended(contender.lock(), mode)))
			.anyMatch((reportedAt) -> reportedAt != null && reportedAt - moment >= 0);
	}

	/**
	 * Return whether the store has reported a lock as taken, so lately that a contender
	 * which asks for it only lacks the answer because the store is slow.
	 */
	boolean isTaken(LeaseContender contender, long overdueNanos) {
		Taken taken = this.taken.get(Contended.by(contender));
		return taken != null && overdueNanos < expectedNanos() && isRecent(taken);
	}

	/**
	 * Return whether the store has reported a lock as taken to a question that was sent
	 * since a moment, and so has decided after it.
	 */
	boolean isTakenSince(LeaseContender contender, long moment) {
		Taken taken = this.taken.get(Contended.by(contender));
		return taken != null && taken.sentAt() - moment >= 0;
	}

	/**
	 * Return whether the question of a contender that has given up is to go on, because
	 * what is known of its lock is about to be too old. There is one such question for
	 * each lock and mode, and half of the threads are left to contenders that wait.
	 */
	boolean misses(LeaseContender contender) {
		Contended contended = Contended.by(contender);
		if (isOld(this.taken.get(contended)) && this.missed.size() < this.mostMissed) {
			this.missed.putIfAbsent(contended, contender);
		}
		return contender.equals(this.missed.get(contended));
	}

	private boolean isOld(@Nullable Taken taken) {
		return taken == null
				|| this.time.nanoTime() - taken.answeredAt() >= Math.max(this.silenceNanos, expectedNanos()) / ANSWERS;
	}

	/** Note that a question was answered, or has failed. */
	void ended(LeaseContender contender) {
		this.missed.remove(Contended.by(contender), contender);
	}

	private boolean isRecent(Taken taken) {
		return isRecent(taken.answeredAt(), this.time.nanoTime() - taken.answeredAt());
	}

	private boolean isRecent(long answeredAt, long overdueNanos) {
		return overdueNanos < expectedNanos() || this.time.nanoTime() - answeredAt < this.silenceNanos;
	}

	private long expectedNanos() {
		return Math.min(this.longestNanos, ANSWERS * this.usualNanos);
	}

	/** Forget answers that are too old to count. */
	void forget() {
		this.taken.values().removeIf((taken) -> !isRecent(taken));
		this.reported.values().removeIf((reportedAt) -> this.time.nanoTime() - reportedAt >= this.silenceNanos);
	}

	private record Taken(long answeredAt, long sentAt, long token, long since, boolean byOthers) {

	}

	private record Contended(LockId lock, LockMode mode) {

		static Contended by(LeaseContender contender) {
			return new Contended(contender.lock(), contender.mode());
		}

	}

}
