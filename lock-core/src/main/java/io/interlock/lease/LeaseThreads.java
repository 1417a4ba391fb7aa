package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What runs the tasks of a provider, in a {@link LeaseTime}. Requests for locks, requests
 * that end something, renewals, and cleaning have threads of their own, so that a release
 * never waits behind attempts, and a renewal behind nothing. Invariants: nothing blocks
 * on the timer; a task that fails harms no other one; no task begins on the timer after
 * the provider was closed.
 */
final class LeaseThreads implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaseThreads.class);

	private static final int END_THREADS = 2;

	/**
	 * So many actions of an application may block before the news of other holds wait.
	 */
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
		this.requests = time.threads("interlock-store-", requestThreads);
		this.ends = time.threads("interlock-release-", END_THREADS);
		this.news = time.threads("interlock-news-", NEWS_THREADS);
		this.renewals = time.thread("interlock-lease");
		this.cleaning = time.threads("interlock-clean-", 1);
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
	 * @return whether it will run; {@code false} if there is no thread for it
	 */
	boolean tell(Runnable task) {
		try {
			run(this.news, task);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

	/** Run what extends leases, one task after the other. */
	void renew(Runnable task) {
		runUnlessClosed(this.renewals, task);
	}

	/** Run what removes old things from the store, one task after the other. */
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

	/**
	 * Run something that does not block, again and again, whatever it fails with.
	 * @throws RejectedExecutionException if the provider is closed
	 */
	void repeat(Runnable task, long nanos) {
		this.time.repeat(guarded(() -> {
			if (!this.closed) {
				task.run();
			}
		}), nanos);
	}

	/**
	 * Run something that does not block, later.
	 * @throws RejectedExecutionException if the provider is closed
	 */
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

	/** Let time pass on the calling thread. */
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

	/** Take no more requests for locks, and wait for those under way. */
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
		this.closed = true;
		this.time.close();
		this.requests.shutdown();
		this.ends.shutdown();
		this.news.shutdown();
		this.renewals.shutdown();
		this.cleaning.shutdown();
	}

}
