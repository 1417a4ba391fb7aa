package io.interlock.memory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Numbers that only grow, and are not below the clock in microseconds: they exceed those
 * of an earlier process. Safe for use by many threads.
 */
final class Tokens {

	private final LongSupplier millis;

	private final AtomicLong last = new AtomicLong();

	Tokens(LongSupplier millis) {
		this.millis = millis;
	}

	long next() {
		long now = this.millis.getAsLong() * 1000;
		return this.last.updateAndGet((last) -> Math.max(last + 1, now));
	}

}
