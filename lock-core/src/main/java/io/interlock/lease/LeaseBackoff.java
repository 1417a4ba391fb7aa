package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** How long one attempt pauses between two of its questions. */
final class LeaseBackoff {

	static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final long pollNanos;

	private int polls;

	private long holder;

	private long holderSince;

	private int failures;

	LeaseBackoff(Duration pollInterval) {
		this.pollNanos = pollInterval.toNanos();
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

	/** The store has answered: the next failure is a first one. */
	void answered() {
		this.failures = 0;
	}

	long afterFailure() {
		return Math.min(LONGEST_PAUSE_NANOS, FIRST_RETRY_NANOS << Math.min(this.failures++, 5));
	}

}
