package io.interlock.internal;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Makes pools for {@link LockThreads}, which count their threads together. A thread that
 * has had no task for ten seconds ends, except where a method says otherwise, so that a
 * pool of the whole JVM needs no end. A pool that cannot start a thread throws what the
 * JVM throws.
 *
 * @since 0.1.0
 */
public final class LockThreadPools {

	private static final long IDLE_SECONDS = 10;

	/** Before, a virtual thread that blocks inside a monitor keeps its carrier. */
	private static final int FIRST_WITHOUT_PINNING = 24;

	private final String prefix;

	private final AtomicLong numbers = new AtomicLong();

	private final ThreadFactory threads;

	LockThreadPools(String prefix, ThreadFactory threads) {
		this.prefix = prefix;
		this.threads = (task) -> named(threads.newThread(task));
	}

	private <T extends Thread> T named(T thread) {
		thread.setName(this.prefix + this.numbers.incrementAndGet());
		return thread;
	}

	/** A new thread for each task, which ends with it. Needs no end. */
	public Executor perTask() {
		return (task) -> this.threads.newThread(task).start();
	}

	/** As many threads as there are tasks at once. */
	public ThreadPoolExecutor unbounded() {
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(),
				this.threads);
	}

	/** Up to {@code size} threads, for which any number of tasks wait. */
	public ThreadPoolExecutor bounded(int size) {
		return bounded(size, Integer.MAX_VALUE);
	}

	/** Up to {@code size} threads, for which {@code queued} tasks may wait. */
	public ThreadPoolExecutor bounded(int size, int queued) {
		ThreadPoolExecutor pool = fixed(size, queued);
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	/** One thread, which stays when it is idle. */
	public ThreadPoolExecutor single() {
		return fixed(1, Integer.MAX_VALUE);
	}

	private ThreadPoolExecutor fixed(int size, int queued) {
		return new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queued),
				this.threads);
	}

	/** One thread, which stays, for tasks that do not block. */
	public ScheduledThreadPoolExecutor timer() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, this.threads);
		timer.setRemoveOnCancelPolicy(true);
		return timer;
	}

	/**
	 * Up to {@code size} threads. The last one that waits for a
	 * {@link java.util.concurrent.CompletableFuture} is replaced meanwhile, up to
	 * {@code spare} times.
	 */
	public ForkJoinPool replacing(int size, int spare) {
		return new ForkJoinPool(size, this::worker, null, true, 0, size + spare, 1, (pool) -> true, IDLE_SECONDS,
				TimeUnit.SECONDS);
	}

	private ForkJoinWorkerThread worker(ForkJoinPool pool) {
		ForkJoinWorkerThread worker = named(ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool));
		// The default one does not see the classes of an executable jar.
		worker.setContextClassLoader(LockThreadPools.class.getClassLoader());
		return worker;
	}

	/** A virtual thread for each task, where one that blocks keeps no carrier. */
	public Optional<Executor> virtual() {
		return (Runtime.version().feature() >= FIRST_WITHOUT_PINNING)
				? Optional.of(new VirtualThreadTaskExecutor(this.prefix)) : Optional.empty();
	}

}
