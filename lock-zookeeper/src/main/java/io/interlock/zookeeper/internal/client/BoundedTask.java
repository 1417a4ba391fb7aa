package io.interlock.zookeeper.internal.client;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Code that may block for longer than its caller can wait. It runs on a thread of its
 * own, which is interrupted when the time is over.
 */
@FunctionalInterface
interface BoundedTask {

	void run() throws Exception;

	/** Return whether the task ended in time; if not, its interrupted thread goes on. */
	static boolean run(ThreadFactory threads, Duration timeout, BoundedTask task) throws ExecutionException {
		FutureTask<Boolean> future = new FutureTask<>(() -> {
			task.run();
			return true;
		});
		Thread thread = threads.newThread(future);
		thread.setDaemon(true);
		thread.start();
		try {
			return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			thread.interrupt();
			return false;
		}
		catch (InterruptedException ex) {
			thread.interrupt();
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
