package io.interlock.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Runs a provider's tasks in a {@link LeaseTime}. Requests for locks, ends, renewals, and
 * cleaning have threads of their own, so that a release never waits behind attempts, and
 * a renewal behind nothing. Invariants: nothing blocks on the timer; a task that fails
 * harms no other one; no task begins on the timer after the provider was closed.
 */
final class LeaseThreads {

	private static final Log logger = LogFactory.getLog(LeaseThreads.class);

	private static final int END_THREADS = 2;

	/** Number of blocking actions of an application that delay no other news. */
	private static final int NEWS_THREADS = 64;

	private final LeaseTime time;

	private final ExecutorService requests;

	private final ExecutorService ends;

	private final ExecutorService news;

	private final ExecutorService renewals;

	private final ExecutorService cleaning;

	private volatile boolean closed;

	LeaseThreads(LeaseTime time, int requestThreads) {
		this.time = time;
		this.requests = time.threads(requestThreads);
		this.ends = time.threads(END_THREADS);
		this.news = time.threads(NEWS_THREADS);
		this.renewals = time.thread();
		this.cleaning = time.threads(1);
	}

	/** Run a request for a lock; throws {@link RejectedExecutionException} if closed. */
	void request(Runnable task) {
		run(this.requests, task);
	}

	void end(Runnable task) {
		run(this.ends, task);
	}

	/** Return whether there is a thread for the task, which may block. */
	boolean tell(Runnable task) {
		try {
			run(this.news, task);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

	void renew(Runnable task) {
		runUnlessClosed(this.renewals, task);
	}

	void clean(Runnable task) {
		runUnlessClosed(this.cleaning, task);
	}

	private static void runUnlessClosed(ExecutorService executor, Runnable task) {
		try {
			run(executor, task);
		}
		catch (RejectedExecutionException ex) {
			// The instance has stopped.
		}
	}

	private static void run(ExecutorService executor, Runnable task) {
		executor.execute(guarded(task));
	}

	private static Runnable guarded(Runnable task) {
		return () -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				note("A task in the background failed; no other is affected", ex);
			}
		};
	}

	private static void note(String message, Throwable failure) {
		try {
			logger.warn(message, failure);
		}
		catch (Throwable ex) {
			// A thread is worth more than its log line.
		}
	}

	void repeat(Runnable task, long nanos) {
		this.time.repeat(guarded(() -> {
			if (!this.closed) {
				task.run();
			}
		}), nanos);
	}

	/** Run a task later that does not block. Throws like {@link #request}. */
	Future<?> later(Runnable task, long nanos) {
		if (this.closed) {
			throw new RejectedExecutionException("The provider is closed");
		}
		return this.time.schedule(guarded(() -> {
			if (!this.closed) {
				task.run();
			}
		}), nanos);
	}

	boolean isClosed() {
		return this.closed;
	}

	void pause(long nanos) throws InterruptedException {
		try {
			this.time.await(new CompletableFuture<>(), nanos);
		}
		catch (TimeoutException ex) {
			// The time has passed.
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("Nothing is waited for", ex);
		}
	}

	/** Wait for what never fails, up to a time or an interrupt, which is kept. */
	static void await(LeaseTime time, CompletableFuture<?> done, long nanos) {
		try {
			time.await(done, nanos);
		}
		catch (TimeoutException ex) {
			// The caller goes on without it.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("What is waited for never fails", ex);
		}
	}

	void close() {
		this.closed = true;
		this.time.close();
		Stream.of(this.requests, this.ends, this.news, this.renewals, this.cleaning).forEach(ExecutorService::shutdown);
	}

	/** The time of the system. Only the timer and the single threads outlast idleness. */
	static final class SystemTime implements LeaseTime {

		private static final long IDLE_SECONDS = 10;

		private final ThreadFactory timers = daemons("interlock-timer-");

		private final ThreadFactory workers = daemons("interlock-worker-");

		private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, this.timers);

		SystemTime() {
			this.timer.setRemoveOnCancelPolicy(true);
		}

		private static ThreadFactory daemons(String prefix) {
			CustomizableThreadFactory factory = new CustomizableThreadFactory(prefix);
			factory.setDaemon(true);
			return factory;
		}

		private static ThreadPoolExecutor pool(int size, ThreadFactory factory) {
			return new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
					factory);
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

}
