package io.interlock.benchmark.load;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * What is done under a lock: nothing for a while, parked. The timer of the system comes
 * late, by some 60 microseconds as a rule; the thread learns by how much, parks for less
 * and spins for the rest.
 */
final class Body {

	private static final long MAX_LATENESS = 200_000;

	private final long nanos;

	private long lateness;

	Body(Duration duration) {
		this.nanos = duration.toNanos();
	}

	void run() {
		if (this.nanos == 0) {
			return;
		}
		long startedAt = System.nanoTime();
		long asked = this.nanos - this.lateness;
		LockSupport.parkNanos(asked);
		long late = System.nanoTime() - startedAt - asked;
		this.lateness += (Math.max(0, Math.min(MAX_LATENESS, late)) - this.lateness) / 8;
		while (System.nanoTime() - startedAt < this.nanos) {
			Thread.onSpinWait();
		}
	}

}
