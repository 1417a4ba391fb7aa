package io.interlock.testsupport.proxy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What everything in one direction has to pass. What finds it shut waits until it opens,
 * as TCP sends lost packets again until the line is mended.
 */
final class Gate {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private boolean open = true;

	private long delayNanos;

	private int held;

	void open() {
		change(() -> this.open = true);
	}

	void shut() {
		change(() -> this.open = false);
	}

	void delay(Duration delay) {
		change(() -> this.delayNanos = delay.toNanos());
	}

	private void change(Runnable change) {
		this.lock.lock();
		try {
			change.run();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return how many callers wait to pass.
	 * @return the number
	 */
	int held() {
		this.lock.lock();
		try {
			return this.held;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait until the gate is open and the delay is over.
	 * @param sinceNanos when the delay began, as {@link System#nanoTime()} tells it
	 * @throws InterruptedException if the thread is interrupted meanwhile
	 */
	void pass(long sinceNanos) throws InterruptedException {
		this.lock.lockInterruptibly();
		this.held++;
		try {
			for (long left = left(sinceNanos); !this.open || left > 0; left = left(sinceNanos)) {
				if (this.open) {
					this.changed.await(left, TimeUnit.NANOSECONDS);
				}
				else {
					this.changed.await();
				}
			}
		}
		finally {
			this.held--;
			this.lock.unlock();
		}
	}

	private long left(long sinceNanos) {
		return sinceNanos + this.delayNanos - System.nanoTime();
	}

}
