package io.interlock.faults.proxy;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.interlock.faults.time.Lapse;

/**
 * Lets the bytes of one direction through, late, or not at all. What comes while it is
 * shut is delivered when it opens, as TCP does after packets were lost.
 */
final class Gate {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private boolean open = true;

	private volatile long delayMillis;

	void open(long delayMillis) {
		set(true, delayMillis);
	}

	void shut() {
		set(false, 0);
	}

	private void set(boolean open, long delayMillis) {
		this.lock.lock();
		try {
			this.open = open;
			this.delayMillis = delayMillis;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	void pass() throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			while (!this.open) {
				this.changed.await();
			}
		}
		finally {
			this.lock.unlock();
		}
		if (this.delayMillis > 0) {
			Lapse.of(Duration.ofMillis(this.delayMillis));
		}
	}

}
