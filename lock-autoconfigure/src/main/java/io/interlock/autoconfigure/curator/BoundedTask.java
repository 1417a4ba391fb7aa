package io.interlock.autoconfigure.curator;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Code that may block for longer than its caller can wait. It runs on a thread of its
 * own, which is interrupted when the time is over.
 */
final class BoundedTask {

	private final FutureTask<Boolean> task;

	private final Thread thread;

	BoundedTask(ThreadGroup group, String name, Action action) {
		this.task = new FutureTask<>(() -> {
			action.run();
			return true;
		});
		this.thread = new Thread(group, this.task, name);
		this.thread.setDaemon(true);
	}

	BoundedTask(String name, Action action) {
		this(currentGroup(), name, action);
	}

	private static ThreadGroup currentGroup() {
		ThreadGroup group = Thread.currentThread().getThreadGroup();
		return (group != null) ? group : new ThreadGroup("interlock");
	}

	/**
	 * Run the code.
	 * @param timeout how long to wait for its end
	 * @return whether it ended in time
	 * @throws ExecutionException if it threw
	 */
	boolean run(Duration timeout) throws ExecutionException {
		this.thread.start();
		try {
			return this.task.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			this.task.cancel(true);
			return false;
		}
		catch (InterruptedException ex) {
			this.task.cancel(true);
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * The code to run.
	 */
	@FunctionalInterface
	interface Action {

		void run() throws Exception;

	}

}
