package io.interlock.template;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.task.VirtualThreadTaskExecutor;

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

	private static final long IDLE_SECONDS = 10;

	/** Before, a virtual thread that blocks inside a monitor keeps its carrier. */
	private static final int FIRST_WITHOUT_PINNING = 24;

	private final String prefix;

	private final AtomicLong numbers = new AtomicLong();

	private final AtomicInteger unfinished = new AtomicInteger();

	private final Executor threads;

	private final ScheduledExecutorService timer;

	private final IntConsumer onFull;

	/** {@code timer}: tries again to start a thread. */
	AsyncPool(String prefix, ScheduledExecutorService timer) {
		this(prefix, timer, false, (busy) -> {
		});
	}

	private AsyncPool(String prefix, ScheduledExecutorService timer, boolean virtual, IntConsumer onFull) {
		this.prefix = prefix;
		this.timer = timer;
		this.onFull = onFull;
		this.threads = virtual ? new VirtualThreadTaskExecutor(prefix) : new ForkJoinPool(THREADS, this::newWorker,
				null, true, 0, THREADS + REPLACEMENTS, 1, (pool) -> true, IDLE_SECONDS, TimeUnit.SECONDS);
	}

	/** {@code onFull}: told once until all are done, when a task waits for a thread. */
	static AsyncPool forApplication(String prefix, ScheduledExecutorService timer, IntConsumer onFull) {
		boolean virtual = Runtime.version().feature() >= FIRST_WITHOUT_PINNING;
		return new AsyncPool(prefix, timer, virtual, virtual ? (busy) -> {
		} : onFull);
	}

	private ForkJoinWorkerThread newWorker(ForkJoinPool pool) {
		ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
		thread.setName(this.prefix + this.numbers.incrementAndGet());
		// The default one does not see the classes of an executable jar.
		thread.setContextClassLoader(AsyncPool.class.getClassLoader());
		return thread;
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
			logger.warn("A task of an asynchronous acquisition failed; no other is affected", ex);
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
