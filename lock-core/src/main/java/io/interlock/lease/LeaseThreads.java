package io.interlock.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Runs a provider's tasks in a {@link LeaseTime}. Requests for locks, ends, renewals, and
 * cleaning have threads of their own, so that a release never waits behind attempts, and
 * a renewal waits behind no other task. Invariants: nothing blocks on the timer; a task
 * that fails harms no other one; no task begins on the timer after the provider was
 * closed.
 */
final class LeaseThreads {

	private static final Log logger = LogFactory.getLog(LeaseThreads.class);

	private static final int END_THREADS = 2;

	/** Number of listeners that may block at once without delaying others. */
	private static final int NEWS_THREADS = 64;

	private final LeaseTime time;

	private final ExecutorService requests;

	private final ExecutorService ends;

	private final ExecutorService news;

	private final ExecutorService renewals;

	private final ExecutorService loneRenewals;

	private final ExecutorService cleaning;

	private volatile boolean closed;

	LeaseThreads(LeaseTime time, int requestThreads) {
		this.time = time;
		this.requests = time.threads(requestThreads);
		this.ends = time.threads(END_THREADS);
		this.news = time.threads(NEWS_THREADS);
		this.renewals = time.thread();
		this.loneRenewals = time.waitingThread();
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

	void renewAlone(Runnable task) {
		runUnlessClosed(this.loneRenewals, task);
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
				note("A background task failed; others are not affected", ex);
			}
		};
	}

	private static void note(String message, Throwable failure) {
		try {
			logger.warn(message, failure);
		}
		catch (Throwable ex) {
			// A failed log line must not end the thread.
		}
	}

	void repeat(Runnable task, long nanos) {
		this.time.repeat(guarded(() -> {
			if (!this.closed) {
				task.run();
			}
		}), nanos);
	}

	/** Run a task that does not block, later. Throws like {@link #request}. */
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

	/** Wait for a future that never fails, until a timeout or an interrupt. */
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
		Stream.of(this.requests, this.ends, this.news, this.renewals, this.loneRenewals, this.cleaning)
			.forEach(ExecutorService::shutdown);
	}

}
