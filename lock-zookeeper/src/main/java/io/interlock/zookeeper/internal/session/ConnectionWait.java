package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where threads wait for the connection. Invariant: a change of the status that is told
 * wakes every thread that had not seen it, because a thread that is about to sleep looks
 * at the status under the lock that the news takes. A connection that no event tells of
 * is found by looking again.
 */
final class ConnectionWait {

	private static final Duration RECHECK = Duration.ofMillis(500);

	private final SessionMonitor monitor;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private volatile boolean ended;

	ConnectionWait(SessionMonitor monitor) {
		this.monitor = monitor;
	}

	/** Let no thread wait any more: the instance stops, its client may live on. */
	void end() {
		this.ended = true;
		changed();
	}

	void changed() {
		this.lock.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	boolean await(long nanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		long startedAt = System.nanoTime();
		while (!this.monitor.status().isConnected() && !this.monitor.refresh()) {
			if (isOver()) {
				throw new ClientClosedException();
			}
			long left = nanos - (System.nanoTime() - startedAt);
			if (left <= 0) {
				return false;
			}
			awaitChange(Math.min(left, RECHECK.toNanos()));
		}
		return true;
	}

	private boolean isOver() {
		return this.ended || this.monitor.status().isClosed();
	}

	private void awaitChange(long nanos) throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			if (!this.monitor.status().isConnected() && !isOver()) {
				this.changed.await(nanos, TimeUnit.NANOSECONDS);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}
