package io.interlock.template;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.interlock.internal.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads of asynchronous acquisitions. They serve the whole JVM; all are daemons and
 * end when idle. Invariants: nothing on the one thread of the timer blocks or calls the
 * application, so that no deadline waits for another. Steps, deadlines and ends of
 * acquisitions have threads that no action, callback or continuation of the application
 * occupies: those have threads of their own, and answers do not wait for actions.
 */
final class AsyncThreads {

	private static final Log logger = LogFactory.getLog(AsyncThreads.class);

	static final Timer TIMER = new Timer();

	private static final AsyncPool STEPS = new AsyncPool(LockThreads.WORKER.pools("async"), TIMER);

	private static final AsyncPool ANSWERS = AsyncPool.forApplication(LockThreads.ASYNC.pools(), TIMER, (busy) -> {
	});

	private static final AsyncPool ACTIONS = AsyncPool
		.forApplication(LockThreads.ASYNC.pools(), TIMER, (threads) -> logger
			.warn(("All %d threads for asynchronous methods under locks are busy, so further methods wait for a thread "
					+ "while they hold their locks. Set 'interlock.async.executor' to an executor of your own, "
					+ "or do not block in these methods")
				.formatted(threads)));

	private AsyncThreads() {
	}

	/** Run a step of the library, which may block but waits for no application. */
	static void execute(Runnable step) {
		STEPS.execute(step);
	}

	/** Run the action of an asynchronous call, however long it takes. */
	static void act(Runnable action) {
		ACTIONS.execute(action);
	}

	/** Run callbacks of the application. */
	static void tell(Runnable news) {
		ANSWERS.execute(news);
	}

	/** Complete a result, whose continuations must not occupy a thread for steps. */
	static void answer(Runnable completion) {
		if (STEPS.isOnThread()) {
			ANSWERS.execute(completion);
		}
		else {
			completion.run();
		}
	}

	/** The task must not block. Without a thread throws {@link OutOfMemoryError}. */
	static Future<?> schedule(Runnable task, long nanos) {
		TIMER.prestartCoreThread();
		return TIMER.schedule(() -> AsyncPool.run(task), nanos, TimeUnit.NANOSECONDS);
	}

	/** A daemon thread of the JVM. Nothing on it blocks or calls the application. */
	static final class Timer extends ScheduledThreadPoolExecutor {

		private volatile boolean lacksThread;

		Timer() {
			super(1, (task) -> LockThreads.TIMER.thread(task));
			setKeepAliveTime(10, TimeUnit.SECONDS);
			allowCoreThreadTimeOut(true);
			setRemoveOnCancelPolicy(true);
		}

		/** Without a thread it returns {@code null}; a later call starts the task. */
		@Nullable Future<?> after(long nanos, Runnable task) {
			try {
				return schedule(task, nanos, TimeUnit.NANOSECONDS);
			}
			catch (OutOfMemoryError ex) {
				this.lacksThread = true;
				return null;
			}
		}

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

}
