package io.interlock.template;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts the thread that runs a body. Invariant: the thread is interrupted only while
 * it is inside the body, and a flag that was set here does not outlive the body, because
 * interrupting and leaving exclude each other.
 */
final class LossInterrupter {

	private final ReentrantLock lock = new ReentrantLock();

	private final Thread body;

	private boolean inside = true;

	private boolean interrupted;

	LossInterrupter(Thread body) {
		this.body = body;
	}

	void interrupt() {
		this.lock.lock();
		try {
			if (this.inside && !this.interrupted) {
				this.interrupted = true;
				this.body.interrupt();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	void leave() {
		this.lock.lock();
		try {
			this.inside = false;
			if (this.interrupted && Thread.currentThread() == this.body) {
				this.interrupted = false;
				Thread.interrupted();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}
