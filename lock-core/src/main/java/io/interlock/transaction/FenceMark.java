package io.interlock.transaction;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a transaction sets a row of a {@link FenceTable} to. No other one sets it to the
 * same: a token is that of one instance, and there no two have the same time.
 *
 * @param token the token of the lock
 * @param usedAt when the row was set, in milliseconds
 */
record FenceMark(long token, long usedAt) {

	private static final AtomicLong LAST = new AtomicLong();

	/** Return the time, or a little more than that: later than all before. */
	static long nextTime() {
		return LAST.accumulateAndGet(System.currentTimeMillis(), (last, now) -> Math.max(last + 1, now));
	}

}
