package io.interlock.faults.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts one thread, one interrupt at a time, and holds it to account for each.
 */
public final class Interrupts {

	private final AtomicBoolean pending = new AtomicBoolean();

	/**
	 * Interrupt a thread, unless it still owes an answer for the interrupt before.
	 * @param thread the thread
	 * @return whether it was interrupted
	 */
	public boolean send(Thread thread) {
		if (!this.pending.compareAndSet(false, true)) {
			return false;
		}
		thread.interrupt();
		return true;
	}

	/**
	 * Take the interrupt of the calling thread, if there is one.
	 * @return what is wrong: a flag that got lost, or one that nobody set
	 */
	public @Nullable String take() {
		if (!this.pending.get()) {
			boolean unexpected = Thread.interrupted() && !this.pending.compareAndSet(true, false);
			return unexpected ? "an interrupt flag that nobody set" : null;
		}
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
		while (!Thread.interrupted()) {
			if (System.nanoTime() > deadline) {
				this.pending.set(false);
				return "an interrupt flag was lost";
			}
			Thread.onSpinWait();
		}
		this.pending.set(false);
		return null;
	}

}
