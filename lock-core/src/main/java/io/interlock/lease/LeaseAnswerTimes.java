package io.interlock.lease;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

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

	/** When the store has reported a lock as taken, to a contender of a mode. */
	private final Map<Contended, Long> taken = new ConcurrentHashMap<>();

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

	void answered(LeaseContender contender, long sentAt, LeaseAnswer answer) {
		long now = this.time.nanoTime();
		noteTime(now - sentAt);
		this.answeredAt = now;
		if (answer.granted()) {
			this.taken.remove(Contended.by(contender));
		}
		else {
			this.taken.put(Contended.by(contender), now);
		}
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

	/**
	 * Return whether the store has reported a lock as taken, so lately that a contender
	 * which asks for it only lacks the answer because the store is slow.
	 */
	boolean isTaken(LeaseContender contender, long overdueNanos) {
		Long since = this.taken.get(Contended.by(contender));
		return since != null && overdueNanos < expectedNanos() && isRecent(since, this.time.nanoTime() - since);
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

	private boolean isOld(@Nullable Long since) {
		return since == null || this.time.nanoTime() - since >= Math.max(this.silenceNanos, expectedNanos()) / ANSWERS;
	}

	/** Note that a question was answered, or has failed. */
	void ended(LeaseContender contender) {
		this.missed.remove(Contended.by(contender), contender);
	}

	private boolean isRecent(long answeredAt, long overdueNanos) {
		return overdueNanos < expectedNanos() || this.time.nanoTime() - answeredAt < this.silenceNanos;
	}

	private long expectedNanos() {
		return Math.min(this.longestNanos, ANSWERS * this.usualNanos);
	}

	/** Forget answers that are too old to count. */
	void forget() {
		this.taken.values().removeIf((since) -> !isRecent(since, this.time.nanoTime() - since));
	}

	private record Contended(LockId lock, LockMode mode) {

		static Contended by(LeaseContender contender) {
			return new Contended(contender.lock(), contender.mode());
		}

	}

}
