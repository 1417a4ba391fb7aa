package io.interlock.template;

import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * How time passes for the holds and waits of one {@link LockTemplate}. Applications have
 * the {@linkplain #system() time of the system}. A test may measure holds by its own
 * clock, and end waits early. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public abstract class LockTime {

	private static final LockTime SYSTEM = new LockTime() {

		@Override
		protected long nanoTime() {
			return System.nanoTime();
		}

		@Override
		protected @Nullable Future<?> schedule(Runnable task, long nanos) {
			return timer().after(nanos, task);
		}

	};

	/** Return the time of the system. */
	public static LockTime system() {
		return SYSTEM;
	}

	/** Return nanoseconds since an arbitrary moment, by which holds are measured. */
	protected abstract long nanoTime();

	/**
	 * Run a task of a hold later. It neither blocks nor calls the application, so that no
	 * time waits for another.
	 * @param task what to do
	 * @param nanos when, in nanoseconds from now
	 * @return the task, which can be cancelled; or {@code null} if it may not be run in
	 * time, because no thread can be started for it
	 */
	protected abstract @Nullable Future<?> schedule(Runnable task, long nanos);

	/**
	 * Run a callback of the application for a task of a hold, which may block.
	 * @param news what to do; never fails
	 */
	protected void execute(Runnable news) {
		AsyncThreads.tell(news);
	}

	AsyncThreads.Timer timer() {
		return AsyncThreads.TIMER;
	}

	static void cancel(@Nullable Future<?> task) {
		if (task != null) {
			task.cancel(false);
		}
	}

	/**
	 * Wait for a lock.
	 * @param request the request, with the wait time that counts
	 * @param attempt the attempt whose outcome ends the wait
	 * @param nanos nanoseconds until the deadline
	 * @throws TimeoutException at the deadline, or before it if the time of the wait is
	 * to pass at once
	 */
	protected Optional<LockGrant> await(LockRequest request, LockAttempt attempt, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		return attempt.outcome().get(nanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * Schedule the deadline of a wait without a thread.
	 * @param request the request, with the wait time that counts
	 * @param attempt the attempt whose outcome ends the wait
	 * @param passed run at the deadline, or before it if the time of the wait is to pass
	 * at once; neither blocks nor calls the application
	 * @param nanos nanoseconds until the deadline
	 * @return cancelled when the wait is over
	 */
	protected Future<?> onDeadline(LockRequest request, LockAttempt attempt, Runnable passed, long nanos) {
		return AsyncThreads.schedule(passed, nanos);
	}

}
