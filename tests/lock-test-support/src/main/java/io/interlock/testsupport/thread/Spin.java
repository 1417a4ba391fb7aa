package io.interlock.testsupport.thread;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits on the calling thread itself, without noticing interrupts.
 *
 * @since 0.1.0
 */
public final class Spin {

	private static final long PATIENCE_SECONDS = 10;

	private Spin() {
	}

	/**
	 * Spin until something is so.
	 * @param condition what is waited for
	 * @throws AssertionError if it is not so within 10 seconds
	 */
	public static void until(BooleanSupplier condition) {
		long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() > limit) {
				throw new AssertionError("Not so within %d seconds".formatted(PATIENCE_SECONDS));
			}
			Thread.onSpinWait();
		}
	}

	/**
	 * Spin for up to a time, and yield first half of the time: two threads on one
	 * processor would never meet otherwise.
	 * @param nanos the longest time
	 */
	public static void orYieldUpTo(int nanos) {
		if (ThreadLocalRandom.current().nextBoolean()) {
			Thread.yield();
		}
		upTo(nanos);
	}

	/**
	 * Spin for a random time.
	 * @param nanos the longest time
	 */
	public static void upTo(int nanos) {
		long until = System.nanoTime() + ThreadLocalRandom.current().nextInt(nanos);
		while (System.nanoTime() < until) {
			Thread.onSpinWait();
		}
	}

}
