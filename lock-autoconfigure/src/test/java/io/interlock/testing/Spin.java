package io.interlock.testing;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waits on the calling thread itself, without noticing interrupts.
 */
public final class Spin {

	private Spin() {
	}

	public static void until(BooleanSupplier condition) {
		long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("patience").isLessThan(limit);
			Thread.onSpinWait();
		}
	}

	/**
	 * Spin for up to a time, and let others run first half of the time: two threads on
	 * one processor would never meet otherwise.
	 * @param nanos the longest time
	 */
	public static void orYieldUpTo(int nanos) {
		if (ThreadLocalRandom.current().nextBoolean()) {
			Thread.yield();
		}
		upTo(nanos);
	}

	public static void upTo(int nanos) {
		long until = System.nanoTime() + ThreadLocalRandom.current().nextInt(nanos);
		while (System.nanoTime() < until) {
			Thread.onSpinWait();
		}
	}

}
