package io.interlock.faults.time;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets time pass where that is the point: a fault that lasts, a fault at a moment that
 * nothing marks, a time in which nothing must happen. Whoever waits <em>for</em>
 * something uses a latch or Awaitility instead, which say what for.
 */
public final class Lapse {

	private Lapse() {
	}

	/**
	 * Let time pass.
	 * @param duration how much
	 * @throws InterruptedException if the thread is interrupted meanwhile
	 */
	public static void of(Duration duration) throws InterruptedException {
		long end = System.nanoTime() + duration.toNanos();
		for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
		}
	}

	/**
	 * Let time pass, how much is left to chance: what is to be hit has a phase that
	 * cannot be seen, like the pings between servers, so that many trials have to meet
	 * all of it.
	 * @param limit the most
	 * @throws InterruptedException if the thread is interrupted meanwhile
	 */
	public static void upTo(Duration limit) throws InterruptedException {
		of(Duration.ofNanos(ThreadLocalRandom.current().nextLong(limit.toNanos())));
	}

}
