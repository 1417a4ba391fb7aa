package io.interlock.lease;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Plans the next question of one attempt. The pause before it grows behind a holder that
 * stays, and with each failure in a row.
 */
final class LeaseBackoff {

	static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final long pollNanos;

	private @Nullable Future<?> planned;

	private int polls;

	private long holder;

	private long holderSince;

	private int failures;

	/** When the next question is due, or the one under way was. */
	private volatile long dueAt;

	LeaseBackoff(LeaseParts parts) {
		this.time = parts.time();
		this.threads = parts.threads();
		this.dueAt = this.time.nanoTime();
		this.pollNanos = parts.settings().pollInterval().toNanos();
	}

	/** The store has answered: the next failure is the first one in a row. */
	void answered() {
		this.failures = 0;
	}

	/** A tenth of the time of the same holder, up to 1 s; 1 s if releases are told. */
	long behind(long holder, long sentAt, boolean told) {
		if (this.polls == 0 || holder != this.holder) {
			this.holder = holder;
			this.holderSince = sentAt;
		}
		long longest = Math.max(this.pollNanos, LONGEST_PAUSE_NANOS);
		long pause = Math.min(this.pollNanos, SHORTEST_PAUSE_NANOS << Math.min(this.polls++, 20));
		return Math.max(pause, told ? longest : Math.min((sentAt - this.holderSince) / 10, longest));
	}

	long afterFailure() {
		return Math.min(LONGEST_PAUSE_NANOS, FIRST_RETRY_NANOS << Math.min(this.failures++, 5));
	}

	/** Plan a question, perhaps up to half of the pause earlier, at random. */
	void plan(Runnable question, long pause, boolean maybeEarlier) {
		long jitter = maybeEarlier ? this.time.random(pause / 2 + 1) : 0;
		this.dueAt = this.time.nanoTime() + pause - jitter;
		this.planned = this.threads.later(question, pause - jitter);
	}

	/** The question that was planned begins, or begins earlier. */
	void begin() {
		cancel();
		long now = this.time.nanoTime();
		this.dueAt = (now - this.dueAt < 0) ? now : this.dueAt;
	}

	/** Return for how long a question is due, negative if it is not. */
	long overdueNanos() {
		return this.time.nanoTime() - this.dueAt;
	}

	void cancel() {
		if (this.planned != null) {
			this.planned.cancel(false);
			this.planned = null;
		}
	}

}
