package io.interlock.lease;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.interlock.internal.LockThreadPools;
import io.interlock.internal.LockThreads;

/** The time of the system. Idle threads end, except the timer and single threads. */
final class SystemLeaseTime implements LeaseTime {

	private final LockThreadPools timers = LockThreads.TIMER.pools();

	private final LockThreadPools workers = LockThreads.WORKER.pools();

	private final ScheduledExecutorService timer = this.timers.timer();

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		return this.timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void repeat(Runnable task, long nanos) {
		this.timer.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public ExecutorService threads(int size) {
		return this.workers.bounded(size);
	}

	@Override
	public ExecutorService thread() {
		ThreadPoolExecutor thread = this.timers.single();
		thread.prestartAllCoreThreads();
		return thread;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
