package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;

import io.interlock.internal.LockThreadPools;
import io.interlock.internal.LockThreads;
import io.interlock.internal.LogPace;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Threads for work that may block. News of holds share a few of them, and wait when all
 * are busy. Everything else, like the blocking recipe of Curator, never queues for a
 * thread: attempts that wait for each other's threads could deadlock. Virtual from Java
 * 24 on; before, the monitors in Curator and ZooKeeper would pin their carriers (JEP
 * 491). Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class BackgroundThreads implements Executor, AutoCloseable {

	private static final Log logger = LogFactory.getLog(BackgroundThreads.class);

	/** Number of blocking actions of an application that delay no news of others. */
	private static final int NEWS_THREADS = 64;

	private final Executor executor;

	private final Queue<Runnable> news = new ConcurrentLinkedQueue<>();

	private final Semaphore newsThreads = new Semaphore(NEWS_THREADS);

	/** Each of many holds has news that no thread tells. */
	private final LogPace<BackgroundThreads> refusals = new LogPace<>(Duration.ofMinutes(1), System::nanoTime);

	public BackgroundThreads() {
		this(LockThreads.WORKER.pools());
	}

	private BackgroundThreads(LockThreadPools pools) {
		this(pools.virtual().orElseGet(pools::unbounded));
	}

	BackgroundThreads(Executor executor) {
		this.executor = executor;
	}

	@Override
	public void execute(Runnable task) {
		this.executor.execute(() -> run(task));
	}

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A background task failed; others are not affected", ex);
		}
	}

	/** Deliver news, now or when a thread is free. Never fails. */
	public void tell(Runnable news) {
		this.news.add(news);
		resume();
	}

	/** Go on with news for which no thread could be started. */
	public void resume() {
		if (this.news.isEmpty() || !this.newsThreads.tryAcquire()) {
			return;
		}
		try {
			this.executor.execute(this::tellAll);
		}
		catch (RejectedExecutionException ex) {
			// The instance has stopped.
			this.newsThreads.release();
		}
		catch (Throwable ex) {
			this.newsThreads.release();
			if (this.refusals.next(this).isPresent()) {
				logger.warn("No thread can be started to report what became of locks. The next run tries again", ex);
			}
		}
	}

	private void tellAll() {
		try {
			for (Runnable next = this.news.poll(); next != null; next = this.news.poll()) {
				run(next);
			}
		}
		finally {
			this.newsThreads.release();
		}
		resume();
	}

	@Override
	public void close() {
		if (this.executor instanceof ThreadPoolExecutor pool) {
			pool.shutdown();
		}
	}

}
