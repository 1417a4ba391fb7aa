package io.interlock.template;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread for the whole JVM that notices holds which last too long. It ends
 * when there is nothing to notice.
 */
final class OverdueTimer {

	private static final ScheduledThreadPoolExecutor EXECUTOR = new ScheduledThreadPoolExecutor(1, (runnable) -> {
		Thread thread = new Thread(runnable, "interlock-overdue");
		thread.setDaemon(true);
		return thread;
	});

	static {
		EXECUTOR.setKeepAliveTime(10, TimeUnit.SECONDS);
		EXECUTOR.allowCoreThreadTimeOut(true);
		EXECUTOR.setRemoveOnCancelPolicy(true);
	}

	private OverdueTimer() {
	}

	static Future<?> schedule(Runnable action, Duration delay) {
		return EXECUTOR.schedule(action, TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
	}

}
