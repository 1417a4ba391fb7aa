package io.interlock.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * How time passes for a {@link LeaseLockProvider}, and what runs its tasks. Applications
 * have the {@linkplain #system() time of the system}. A test may move a time of its own.
 * Invariant: a provider reads no other clock, waits nowhere else, starts no other thread,
 * and takes chances nowhere else. So a test whose tasks run one after the other, in an
 * order that depends on its time only, has the same run each time; no thread is needed.
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LeaseTime {

	/** Return a time of the system, for one provider. Its threads are daemons. */
	static LeaseTime system() {
		return new SystemLeaseTime();
	}

	/** Return nanoseconds since an arbitrary moment, by which leases are measured. */
	long nanoTime();

	/**
	 * Run a task later, and never before this method returns. The task does not block.
	 * @param task what to do; never fails
	 * @param nanos when, in nanoseconds from now
	 * @return the task, which can be cancelled
	 * @throws java.util.concurrent.RejectedExecutionException if this is closed
	 */
	Future<?> schedule(Runnable task, long nanos);

	/**
	 * Run a task again and again, until this is closed. Unlike a chain of tasks that plan
	 * each other it does not end for want of memory, where the timer can do that. By
	 * default it is such a chain.
	 * @param task what to do; never fails
	 * @param nanos time between two runs, in nanoseconds
	 */
	default void repeat(Runnable task, long nanos) {
		schedule(() -> {
			task.run();
			repeat(task, nanos);
		}, nanos);
	}

	/**
	 * Make threads, as many as {@code size} at the most, for tasks that may block and
	 * never fail. The provider shuts them down.
	 */
	ExecutorService threads(int size);

	/**
	 * Make a thread as one of {@link #threads}. It stays when it is idle, so that no
	 * later task waits for memory for a thread.
	 */
	default ExecutorService thread() {
		return threads(1);
	}

	/**
	 * Make a thread as one of {@link #threads}, whose tasks wait for what others do in
	 * the store. A time that a test moves goes on beside them.
	 */
	default ExecutorService waitingThread() {
		return threads(1);
	}

	/**
	 * Wait on the calling thread, which is one of the application.
	 * @param <T> type of the answer
	 * @param answer the future to wait for
	 * @param nanos how long, in nanoseconds
	 * @return the answer
	 * @throws TimeoutException if there was no answer in time
	 * @throws InterruptedException if the thread is interrupted
	 * @throws ExecutionException if the answer is a failure
	 */
	default <T extends @Nullable Object> T await(CompletableFuture<T> answer, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		return answer.get(nanos, TimeUnit.NANOSECONDS);
	}

	/** Return a number below a bound, which keeps attempts from asking all at once. */
	default long random(long bound) {
		return ThreadLocalRandom.current().nextLong(bound);
	}

	/** The provider was closed. Does nothing by default. */
	default void close() {
	}

}
