package io.interlock.metrics;

import java.util.Locale;

import io.interlock.LockException;
import io.interlock.LockInterruptedException;
import io.interlock.LockServiceUnavailableException;

/**
 * How an acquisition ended.
 */
enum AcquireOutcome {

	ACQUIRED, NOT_ACQUIRED, UNAVAILABLE, INTERRUPTED, FAILED;

	private final String tag = name().toLowerCase(Locale.ROOT);

	String tag() {
		return this.tag;
	}

	static AcquireOutcome of(LockException failure) {
		if (failure instanceof LockServiceUnavailableException) {
			return UNAVAILABLE;
		}
		return (failure instanceof LockInterruptedException) ? INTERRUPTED : FAILED;
	}

}
