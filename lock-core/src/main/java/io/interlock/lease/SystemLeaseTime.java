package io.interlock.lease;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The time of the system, for one provider. Threads end when they are idle, apart from
 * the timer and the single ones.
 */
final class SystemLeaseTime implements LeaseTime {

	private static final long IDLE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons("interlock-timer-"));

	SystemLeaseTime() {
		this.timer.setRemoveOnCancelPolicy(true);
	}

	private static CustomizableThreadFactory daemons(String prefix) {
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
	public ExecutorService threads(String prefix, int size) {
		ThreadPoolExecutor pool = pool(size, daemons(prefix));
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	@Override
	public ExecutorService thread(String name) {
		ThreadPoolExecutor thread = pool(1, (task) -> {
			Thread daemon = new Thread(task, name);
			daemon.setDaemon(true);
			return daemon;
		});
		thread.prestartAllCoreThreads();
		return thread;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
