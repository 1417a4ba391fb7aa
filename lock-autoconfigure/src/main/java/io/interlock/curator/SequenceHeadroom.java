package io.interlock.curator;

import java.util.concurrent.TimeUnit;

/**
 * How many sequence numbers are left to the lock that has used up most of them, among
 * those that were granted lately. ZooKeeper counts the nodes that were ever made in a
 * queue with 31 bits, and starts anew with a new parent. Only a lock that is asked for
 * all the time comes to the end of them, so what is not granted for {@value #MINUTES}
 * minutes may be forgotten.
 */
final class SequenceHeadroom {

	private static final int MINUTES = 10;

	private volatile Window window = new Window(System.nanoTime(), 0, 0);

	/**
	 * Note a grant.
	 * @param sequence number of its node; negative ones come after all positive ones
	 * @param now this moment, as {@link System#nanoTime()}
	 */
	void note(int sequence, long now) {
		int used = (sequence >= 0) ? sequence : Integer.MAX_VALUE;
		if (!this.window.covers(used, now)) {
			add(used, now);
		}
	}

	private synchronized void add(int used, long now) {
		this.window = this.window.at(now).with(used);
	}

	int left(long now) {
		Window current = this.window.at(now);
		return Integer.MAX_VALUE - Math.max(current.highest(), current.highestBefore());
	}

	/**
	 * The highest numbers since a moment, and in the window before.
	 */
	private record Window(long startedAt, int highest, int highestBefore) {

		private static final long NANOS = TimeUnit.MINUTES.toNanos(MINUTES);

		boolean covers(int used, long now) {
			return used <= this.highest && now - this.startedAt < NANOS;
		}

		Window at(long now) {
			long age = now - this.startedAt;
			if (age < NANOS) {
				return this;
			}
			return new Window(now, 0, (age < 2 * NANOS) ? this.highest : 0);
		}

		Window with(int used) {
			return new Window(this.startedAt, Math.max(this.highest, used), this.highestBefore);
		}

	}

}
