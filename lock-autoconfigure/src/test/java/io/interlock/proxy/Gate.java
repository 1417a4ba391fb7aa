package io.interlock.proxy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the packets of one direction pass. Those that find it closed wait, as they do on a
 * broken line, where TCP sends them again until it is mended.
 */
final class Gate {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private boolean open = true;

	private long delayNanos;

	private int held;

	void set(boolean open) {
		this.lock.lock();
		try {
			this.open = open;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	void delay(Duration delay) {
		this.lock.lock();
		try {
			this.delayNanos = delay.toNanos();
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	int held() {
		this.lock.lock();
		try {
			return this.held;
		}
		finally {
			this.lock.unlock();
		}
	}

	void pass(Packet packet) throws InterruptedException {
		this.lock.lockInterruptibly();
		this.held++;
		try {
			long left = left(packet);
			while (!this.open || left > 0) {
				if (this.open) {
					this.changed.await(left, TimeUnit.NANOSECONDS);
				}
				else {
					this.changed.await();
				}
				left = left(packet);
			}
		}
		finally {
			this.held--;
			this.lock.unlock();
		}
	}

	private long left(Packet packet) {
		return packet.readAt() + this.delayNanos - System.nanoTime();
	}

}
