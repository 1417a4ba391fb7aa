package io.interlock.jdbc;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

import io.interlock.lease.LeaseTime;
import io.interlock.testsupport.time.MovedTime;

/**
 * A time that a test moves, for any number of providers.
 *
 * @param time the time
 */
public record MovedLeaseTime(MovedTime time) implements LeaseTime {

	@Override
	public long nanoTime() {
		return this.time.nanoTime();
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		return this.time.schedule(task, nanos);
	}

	@Override
	public ExecutorService threads(int size) {
		return this.time.threads("interlock-worker-", size);
	}

	@Override
	public ExecutorService waitingThread() {
		return LeaseTime.system().waitingThread();
	}

}
