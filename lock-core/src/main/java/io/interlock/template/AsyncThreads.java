package io.interlock.template;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads of asynchronous acquisitions, and of news that must not block its sender.
 * They serve the whole JVM; all are daemons and end when idle. Invariant: nothing on the
 * one thread of the timer blocks or calls the application, so that no deadline waits for
 * another; what may block has up to 64 threads, and waits when all of them are busy. A
 * thread that waits for a {@link java.util.concurrent.CompletableFuture} is replaced
 * meanwhile, if it is the last one.
 */
final class AsyncThreads {

	private static final Log logger = LogFactory.getLog(AsyncThreads.class);

	private static final int THREADS = 64;

	private static final int REPLACEMENTS = 192;

	private static final long IDLE_SECONDS = 10;

	private static final AtomicLong NUMBERS = new AtomicLong();

	static final Timer TIMER = new Timer();

	private static final ForkJoinPool POOL = new ForkJoinPool(THREADS, AsyncThreads::newWorker, null, true, 0,
			THREADS + REPLACEMENTS, 1, (pool) -> true, IDLE_SECONDS, TimeUnit.SECONDS);

	private AsyncThreads() {
	}

	private static ForkJoinWorkerThread newWorker(ForkJoinPool pool) {
		ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
		thread.setName("interlock-async-" + NUMBERS.incrementAndGet());
		// The default one does not see the classes of an executable jar.
		thread.setContextClassLoader(AsyncThreads.class.getClassLoader());
		return thread;
	}

	/** Run a task that may block, as soon as there is a thread for it. */
	static void execute(Runnable task) {
		FutureTask<?> once = new FutureTask<>(() -> run(task), null);
		try {
			POOL.execute(once);
		}
		catch (OutOfMemoryError ex) {
			executeLater(once);
		}
	}

	/** The pool keeps the task, and any call may start a thread: it must run once. */
	private static void executeLater(FutureTask<?> once) {
		try {
			TIMER.schedule(() -> execute(once), 1, TimeUnit.SECONDS);
		}
		catch (OutOfMemoryError ex) {
			// The timer has queued it too.
		}
	}

	static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A task of an asynchronous acquisition failed; no other is affected", ex);
		}
	}

	/** The task must not block. Without a thread throws {@link OutOfMemoryError}. */
	static Future<?> schedule(Runnable task, long nanos) {
		TIMER.prestartCoreThread();
		return TIMER.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
	}

	/** A daemon thread of the JVM. Nothing on it blocks or calls the application. */
	static final class Timer extends ScheduledThreadPoolExecutor {

		private volatile boolean lacksThread;

		Timer() {
			super(1, (runnable) -> {
				Thread thread = new Thread(runnable, "interlock-timer");
				thread.setDaemon(true);
				return thread;
			});
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
