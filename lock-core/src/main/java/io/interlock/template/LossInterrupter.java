package io.interlock.template;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Interrupts the thread that runs a body. Invariant: the thread is interrupted only while
 * it is inside the body, and a flag that was set here does not outlive the body, because
 * interrupting and leaving exclude each other.
 */
final class LossInterrupter {

	private final Thread body;

	private boolean inside = true;

	private boolean interrupted;

	LossInterrupter(Thread body) {
		this.body = body;
	}

	synchronized void interrupt() {
		if (this.inside) {
			this.interrupted = true;
			this.body.interrupt();
		}
	}

	/**
	 * Interrupt no more, and take back a flag that was set here, which only the body's
	 * own thread can do. A flag does not tell its origin: an interrupt from elsewhere
	 * that came after ours is taken back too.
	 * @return whether a flag was taken back: it may have been meant for another body too
	 */
	synchronized boolean leave() {
		this.inside = false;
		if (!this.interrupted || Thread.currentThread() != this.body) {
			return false;
		}
		this.interrupted = false;
		return Thread.interrupted();
	}

	synchronized void again() {
		if (this.inside && this.interrupted) {
			this.body.interrupt();
		}
	}

	/** The bodies under one hold. Safe for use by many threads. */
	static final class Bodies {

		private final List<LossInterrupter> running = new CopyOnWriteArrayList<>();

		private final AtomicBoolean owed = new AtomicBoolean();

		/** The reason may arise meanwhile, so it is asked for after the body is known. */
		void add(LossInterrupter body, BooleanSupplier isDue) {
			this.running.add(body);
			if (isDue.getAsBoolean() || this.owed.getAndSet(false)) {
				body.interrupt();
			}
		}

		void remove(LossInterrupter body) {
			this.running.remove(body);
		}

		void interrupt() {
			this.running.forEach(LossInterrupter::interrupt);
		}

		/** Interrupt the running bodies, or the first to begin, which may be delayed. */
		void interruptNowOrAtTheBeginning() {
			this.owed.set(true);
			if (!this.running.isEmpty() && this.owed.getAndSet(false)) {
				interrupt();
			}
		}

	}

}
