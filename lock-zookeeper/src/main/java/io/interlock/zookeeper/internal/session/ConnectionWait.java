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

	ConnectionWait(SessionMonitor monitor) {
		this.monitor = monitor;
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

	/**
	 * Wait for a connection.
	 * @param nanos how long
	 * @return whether there is one
	 * @throws InterruptedException if the thread is interrupted
	 * @throws ClientClosedException if the client is closed, so that none will come
	 */
	boolean await(long nanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		long startedAt = System.nanoTime();
		while (!this.monitor.status().isConnected() && !this.monitor.refresh()) {
			if (this.monitor.status().isClosed()) {
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

	private void awaitChange(long nanos) throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			if (!this.monitor.status().isConnected() && !this.monitor.status().isClosed()) {
				this.changed.await(nanos, TimeUnit.NANOSECONDS);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}
