package io.interlock.testsupport.thread;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Another thread, with the result of what it runs. Safe for use by many threads.
 *
 * @param <T> type of the result
 * @since 0.1.0
 */
public final class Background<T extends @Nullable Object> {

	private final FutureTask<T> task;

	private final Thread thread;

	private Background(Callable<T> body) {
		this.task = new FutureTask<>(body);
		this.thread = new Thread(this.task, "background");
		this.thread.setDaemon(true);
	}

	/**
	 * Run something on another thread.
	 * @param body what to run
	 * @param <T> type of the result
	 * @return the thread
	 */
	public static <T extends @Nullable Object> Background<T> start(Callable<T> body) {
		Background<T> background = new Background<>(body);
		background.thread.start();
		return background;
	}

	/**
	 * Run something on another thread and wait for it.
	 * @param body what to run
	 * @param <T> type of the result
	 * @return the result
	 * @throws Exception if the body throws it
	 */
	public static <T extends @Nullable Object> T call(Callable<T> body) throws Exception {
		return start(body).join();
	}

	/**
	 * Run something on another thread and wait for it.
	 * @param body what to run
	 * @throws Exception if the body throws it
	 */
	public static void run(Runnable body) throws Exception {
		call(() -> {
			body.run();
			return true;
		});
	}

	/**
	 * Interrupt the thread.
	 */
	public void interrupt() {
		this.thread.interrupt();
	}

	/**
	 * Return whether the body has not ended yet.
	 * @return whether it runs
	 */
	public boolean isRunning() {
		return !this.task.isDone();
	}

	/**
	 * Wait for up to 10 seconds until the body ends.
	 * @return the result
	 * @throws Exception if the body throws it, or does not end in time
	 */
	public T join() throws Exception {
		return joinWithin(Duration.ofSeconds(10));
	}

	/**
	 * Wait until the body ends.
	 * @param timeout how long
	 * @return the result
	 * @throws Exception if the body throws it, or does not end in time
	 */
	public T joinWithin(Duration timeout) throws Exception {
		try {
			return this.task.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Exception cause) {
				throw cause;
			}
			throw ex;
		}
	}

}
