package io.interlock.sample.show.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * How long this instance waited for locks during the last minute: for every second a
 * histogram. It never grows, whatever the load. Safe for use by many threads.
 */
class WaitTimes {

	/**
	 * Upper bounds of the classes in milliseconds; the last class has none.
	 */
	static final List<Integer> BOUNDS = List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000);

	private static final int SECONDS = 60;

	private final LongSupplier clock;

	private final long[] seconds = new long[SECONDS];

	private final int[][] counts = new int[SECONDS][BOUNDS.size() + 1];

	/**
	 * Create an empty minute.
	 * @param clock the seconds since 1970
	 */
	WaitTimes(LongSupplier clock) {
		this.clock = clock;
	}

	synchronized void add(Duration waited) {
		long second = this.clock.getAsLong();
		int slot = (int) (second % SECONDS);
		if (this.seconds[slot] != second) {
			this.seconds[slot] = second;
			this.counts[slot] = new int[BOUNDS.size() + 1];
		}
		this.counts[slot][classOf(waited.toMillis())]++;
	}

	private static int classOf(long millis) {
		int index = 0;
		while (index < BOUNDS.size() && millis >= BOUNDS.get(index)) {
			index++;
		}
		return index;
	}

	/**
	 * Return the seconds of the last minute in which a wait ended, in order.
	 * @return a snapshot
	 */
	synchronized List<Second> lastMinute() {
		long now = this.clock.getAsLong();
		List<Second> result = new ArrayList<>();
		for (long second = now - SECONDS + 1; second <= now; second++) {
			int slot = (int) (second % SECONDS);
			if (this.seconds[slot] == second) {
				result.add(Second.of(second, this.counts[slot]));
			}
		}
		return result;
	}

	/**
	 * The waits that ended in one second.
	 *
	 * @param at the second, counted from 1970
	 * @param counts how many waits fell into each class of {@link #BOUNDS}
	 */
	record Second(long at, List<Integer> counts) {

		static Second of(long at, int[] counts) {
			List<Integer> copy = new ArrayList<>(counts.length);
			for (int count : counts) {
				copy.add(count);
			}
			return new Second(at, copy);
		}

	}

}
