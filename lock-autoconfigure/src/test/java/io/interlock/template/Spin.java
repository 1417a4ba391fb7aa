package io.interlock.template;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waits on the calling thread itself, without noticing interrupts.
 */
final class Spin {

	private Spin() {
	}

	static void until(BooleanSupplier condition) {
		long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
		while (!condition.getAsBoolean()) {
			assertThat(System.nanoTime()).as("patience").isLessThan(limit);
			Thread.onSpinWait();
		}
	}

	static void upTo(int nanos) {
		long until = System.nanoTime() + ThreadLocalRandom.current().nextInt(nanos);
		while (System.nanoTime() < until) {
			Thread.onSpinWait();
		}
	}

}
