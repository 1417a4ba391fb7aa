package io.interlock.faults.worker;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when the process stands still: a thread that asks for short pauses gets long
 * ones. Safe for use by many threads.
 */
public final class HiccupMeter {

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final int MEMORY = 10_000;

	private final ConcurrentLinkedDeque<Stall> stalls = new ConcurrentLinkedDeque<>();

	private volatile long seenUntil = System.nanoTime();

	/**
	 * Begin to watch.
	 */
	public HiccupMeter() {
		Thread thread = new Thread(this::watch, "hiccups");
		thread.setDaemon(true);
		thread.setPriority(Thread.NORM_PRIORITY);
		thread.start();
	}

	private void watch() {
		int remembered = 0;
		long before = System.nanoTime();
		while (true) {
			LockSupport.parkNanos(PAUSE_NANOS);
			long now = System.nanoTime();
			if (now - before > STALL_NANOS) {
				this.stalls.addLast(new Stall(before, now));
				if (++remembered > MEMORY) {
					this.stalls.removeFirst();
				}
			}
			this.seenUntil = now;
			// From reading to reading: a process may be stopped between any two lines.
			before = now;
		}
	}

	/**
	 * Return for how long the process stood still.
	 * @param from beginning of the time that counts
	 * @param to its end, not after now
	 * @return nanoseconds; 0 if it never stood still for more than 10 ms at a time
	 */
	public long stalled(long from, long to) {
		while (this.seenUntil < to) {
			Thread.onSpinWait();
			Thread.yield();
		}
		long sum = 0;
		for (Stall stall : this.stalls) {
			sum += Math.max(0, Math.min(to, stall.to()) - Math.max(from, stall.from()));
		}
		return sum;
	}

	private record Stall(long from, long to) {

	}

}
