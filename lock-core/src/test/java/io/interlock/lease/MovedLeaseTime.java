package io.interlock.lease;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

import io.interlock.testsupport.time.MovedTime;

/**
 * A time that a test moves, for any number of providers.
 *
 * @param time the time
 */
record MovedLeaseTime(MovedTime time) implements LeaseTime {

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

}
