package io.interlock.faults.worker;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Interrupts one thread, one interrupt at a time, and holds it to account for each.
 */
public final class Interrupts {

	private final AtomicBoolean pending = new AtomicBoolean();

	private volatile boolean sent;

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
		this.sent = true;
		return true;
	}

	/**
	 * Take the interrupt of the calling thread, if there is one.
	 * @return what is wrong: a flag that got lost, or one that nobody set
	 */
	public @Nullable String take() {
		boolean interrupted = false;
		if (!this.pending.get()) {
			interrupted = Thread.interrupted();
			if (!interrupted || !this.pending.get()) {
				return interrupted ? "an interrupt flag that nobody set" : null;
			}
		}
		// Whoever sends it may stand still before the flag is set.
		while (!this.sent) {
			Thread.onSpinWait();
		}
		interrupted |= Thread.interrupted();
		this.sent = false;
		this.pending.set(false);
		return interrupted ? null : "an interrupt flag was lost";
	}

}
