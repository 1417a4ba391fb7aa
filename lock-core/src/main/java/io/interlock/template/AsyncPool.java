package io.interlock.template;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import io.interlock.internal.LockThreadPools;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Threads for one kind of tasks. Up to 64 tasks may block, and further ones wait; a
 * thread that waits for a {@link java.util.concurrent.CompletableFuture} is replaced
 * meanwhile, if it is the last one. Tasks of the application run on virtual threads
 * instead where those block no other thread.
 */
final class AsyncPool {

	private static final Log logger = LogFactory.getLog(AsyncPool.class);

	static final int THREADS = 64;

	private static final int REPLACEMENTS = 192;

	private final AtomicInteger unfinished = new AtomicInteger();

	private final Executor threads;

	private final ScheduledExecutorService timer;

	private final IntConsumer onFull;

	/** {@code timer}: tries again to start a thread. */
	AsyncPool(LockThreadPools pools, ScheduledExecutorService timer) {
		this(pools.replacing(THREADS, REPLACEMENTS), timer, (busy) -> {
		});
	}

	private AsyncPool(Executor threads, ScheduledExecutorService timer, IntConsumer onFull) {
		this.threads = threads;
		this.timer = timer;
		this.onFull = onFull;
	}

	/** {@code onFull}: told once until all are done, when a task waits for a thread. */
	static AsyncPool forApplication(LockThreadPools pools, ScheduledExecutorService timer, IntConsumer onFull) {
		return pools.virtual().map((threads) -> new AsyncPool(threads, timer, (busy) -> {
		})).orElseGet(() -> new AsyncPool(pools.replacing(THREADS, REPLACEMENTS), timer, onFull));
	}

	boolean isOnThread() {
		return Thread.currentThread() instanceof ForkJoinWorkerThread worker && worker.getPool() == this.threads;
	}

	/** Run a task as soon as there is a thread for it. */
	void execute(Runnable task) {
		if (this.unfinished.incrementAndGet() == THREADS + 1) {
			this.onFull.accept(THREADS);
		}
		start(new FutureTask<>(() -> {
			try {
				run(task);
			}
			finally {
				this.unfinished.decrementAndGet();
			}
		}, null));
	}

	static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A task of an asynchronous acquisition failed; others are not affected", ex);
		}
	}

	private void start(FutureTask<?> once) {
		try {
			this.threads.execute(once);
		}
		catch (OutOfMemoryError ex) {
			startLater(once);
		}
	}

	/** The pool keeps the task, and any call may start a thread: it must run once. */
	private void startLater(FutureTask<?> once) {
		try {
			this.timer.schedule(() -> start(once), 1, TimeUnit.SECONDS);
		}
		catch (OutOfMemoryError ex) {
			// The timer has queued it too.
		}
	}

}
