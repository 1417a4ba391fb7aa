package io.interlock.template;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The threads of asynchronous acquisitions, for the whole JVM; all are daemons and end
 * when there is nothing to do. Invariant: nothing on the one thread of the timer blocks
 * or calls the application, so that no deadline waits for another; what may block has up
 * to 64 threads, and waits when all of them are busy. A thread that waits for a
 * {@link java.util.concurrent.CompletableFuture} is replaced meanwhile, if it is the last
 * one.
 */
final class AsyncThreads {

	private static final Log logger = LogFactory.getLog(AsyncThreads.class);

	private static final int THREADS = 64;

	private static final int REPLACEMENTS = 192;

	private static final long IDLE_SECONDS = 10;

	private static final AtomicLong NUMBERS = new AtomicLong();

	private static final ScheduledThreadPoolExecutor TIMER = timer();

	private static final ForkJoinPool POOL = new ForkJoinPool(THREADS, AsyncThreads::newWorker, null, true, 0,
			THREADS + REPLACEMENTS, 1, (pool) -> true, IDLE_SECONDS, TimeUnit.SECONDS);

	private AsyncThreads() {
	}

	private static ScheduledThreadPoolExecutor timer() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, (runnable) -> {
			Thread thread = new Thread(runnable, "interlock-deadlines");
			thread.setDaemon(true);
			return thread;
		});
		timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		timer.setRemoveOnCancelPolicy(true);
		return timer;
	}

	private static ForkJoinWorkerThread newWorker(ForkJoinPool pool) {
		ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
		thread.setName("interlock-async-" + NUMBERS.incrementAndGet());
		// The default one does not see the classes of an executable jar.
		thread.setContextClassLoader(AsyncThreads.class.getClassLoader());
		return thread;
	}

	/**
	 * Run what may block.
	 */
	static void execute(Runnable task) {
		try {
			POOL.execute(() -> run(task));
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started.
			TIMER.schedule(() -> execute(task), 1, TimeUnit.SECONDS);
		}
	}

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A task of an asynchronous acquisition failed; no other is affected", ex);
		}
	}

	/**
	 * Run a task later, which must neither block nor call the application.
	 */
	static Future<?> schedule(Runnable task, long nanos) {
		return TIMER.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
	}

}
