package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads of a provider. Requests for locks, and requests that end something, have
 * threads of their own, so that a release never waits behind attempts. Nothing blocks on
 * the timer. A task that fails harms no other one. Threads end when they are idle.
 */
final class LeaseThreads implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaseThreads.class);

	private static final int END_THREADS = 2;

	/**
	 * So many actions of an application may block before the news of other holds wait.
	 */
	private static final int NEWS_THREADS = 64;

	private final ThreadPoolExecutor requests;

	private final ThreadPoolExecutor ends = pool("interlock-release-", END_THREADS);

	private final ThreadPoolExecutor news = pool("interlock-news-", NEWS_THREADS);

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads("interlock-timer-"));

	LeaseThreads(int requestThreads) {
		this.requests = pool("interlock-store-", requestThreads);
		this.timer.setRemoveOnCancelPolicy(true);
	}

	private static ThreadPoolExecutor pool(String prefix, int size) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				threads(prefix));
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	private static CustomizableThreadFactory threads(String prefix) {
		CustomizableThreadFactory factory = new CustomizableThreadFactory(prefix);
		factory.setDaemon(true);
		return factory;
	}

	/**
	 * Run a request for a lock.
	 * @throws RejectedExecutionException if the provider is closed
	 */
	void request(Runnable task) {
		run(this.requests, task);
	}

	/**
	 * Run a request that ends something, or verifies it.
	 * @throws RejectedExecutionException if the provider is closed
	 */
	void end(Runnable task) {
		run(this.ends, task);
	}

	/**
	 * Run what may block, such as the listener of a hold.
	 */
	void tell(Runnable task) {
		try {
			run(this.news, task);
		}
		catch (RejectedExecutionException ex) {
			// The instance has stopped.
		}
	}

	private static void run(Executor executor, Runnable task) {
		executor.execute(guarded(task));
	}

	private static Runnable guarded(Runnable task) {
		return () -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				logger.warn("A task in the background failed; no other is affected", ex);
			}
		};
	}

	/**
	 * Run something that does not block, later.
	 * @throws RejectedExecutionException if the provider is closed
	 */
	ScheduledFuture<?> later(Runnable task, long nanos) {
		return this.timer.schedule(guarded(task), nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Take no more requests for locks, and wait for those under way.
	 */
	void awaitRequests(Duration timeout) {
		this.requests.shutdown();
		try {
			this.requests.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.requests.shutdown();
		this.ends.shutdown();
		this.news.shutdown();
	}

}
