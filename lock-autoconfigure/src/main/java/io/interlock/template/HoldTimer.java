package io.interlock.template;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Looks after holds and releases kept ones: one daemon thread for the whole JVM, which
 * ends when there is nothing to look after.
 */
final class HoldTimer extends ScheduledThreadPoolExecutor {

	static final HoldTimer INSTANCE = new HoldTimer();

	private volatile boolean lacksThread;

	private HoldTimer() {
		super(1, (runnable) -> {
			Thread thread = new Thread(runnable, "interlock-holds");
			thread.setDaemon(true);
			return thread;
		});
		setKeepAliveTime(10, TimeUnit.SECONDS);
		allowCoreThreadTimeOut(true);
		setRemoveOnCancelPolicy(true);
	}

	/**
	 * Run a task later.
	 * @return the task, or {@code null} if no thread can be started for it; it is queued
	 * then, until a later call of this or of {@link #resume} starts one
	 */
	@Nullable Future<?> after(long nanos, Runnable task) {
		try {
			return schedule(task, nanos, TimeUnit.NANOSECONDS);
		}
		catch (OutOfMemoryError ex) {
			this.lacksThread = true;
			return null;
		}
	}

	/**
	 * Start the thread if it could not be started before.
	 */
	void resume() {
		if (this.lacksThread) {
			this.lacksThread = false;
			try {
				prestartCoreThread();
			}
			catch (OutOfMemoryError ex) {
				this.lacksThread = true;
			}
		}
	}

}
