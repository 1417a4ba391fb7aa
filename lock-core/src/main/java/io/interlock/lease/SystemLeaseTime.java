package io.interlock.lease;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** The time of the system. Idle threads end, except the timer and single threads. */
final class SystemLeaseTime implements LeaseTime {

	private static final long IDLE_SECONDS = 10;

	private final ThreadFactory timers = daemons("interlock-timer-");

	private final ThreadFactory workers = daemons("interlock-worker-");

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, this.timers);

	SystemLeaseTime() {
		this.timer.setRemoveOnCancelPolicy(true);
	}

	private static ThreadFactory daemons(String prefix) {
		CustomizableThreadFactory factory = new CustomizableThreadFactory(prefix);
		factory.setDaemon(true);
		return factory;
	}

	private static ThreadPoolExecutor pool(int size, ThreadFactory factory) {
		return new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
	}

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
		ThreadPoolExecutor pool = pool(size, this.workers);
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	@Override
	public ExecutorService thread() {
		ThreadPoolExecutor thread = pool(1, this.timers);
		thread.prestartAllCoreThreads();
		return thread;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
