package io.interlock.template;

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
	 * own thread can do.
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

	/** Repeat an interrupt that an inner body has taken back. */
	synchronized void again() {
		if (this.inside && this.interrupted) {
			this.body.interrupt();
		}
	}

}
