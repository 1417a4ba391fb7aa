package io.interlock.curator;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads on which the blocking recipe runs, one for each lock that this instance
 * waits for, and on which losses are told. Nothing ever queues for a thread: contenders
 * that wait for each other's threads could deadlock. Virtual from Java 24 on; before, the
 * monitors in Curator and ZooKeeper would pin their carriers (JEP 491).
 */
final class ContenderThreads implements AutoCloseable {

	private static final int FIRST_WITHOUT_PINNING = 24;

	private static final ThreadLocal<Boolean> CONTENDER = new ThreadLocal<>();

	private final Executor executor;

	ContenderThreads() {
		this.executor = (Runtime.version().feature() >= FIRST_WITHOUT_PINNING)
				? new VirtualThreadTaskExecutor("interlock-") : platformThreads();
	}

	private static Executor platformThreads() {
		CustomizableThreadFactory factory = new CustomizableThreadFactory("interlock-");
		factory.setDaemon(true);
		return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
	}

	/**
	 * Return whether the calling thread contends for a lock.
	 * @return whether {@link #contend} started it
	 */
	static boolean isContender() {
		return CONTENDER.get() != null;
	}

	/**
	 * Run a contender.
	 * @param contender what to run; cancelling the answer with an interrupt ends it, and
	 * never reaches what the thread does afterwards
	 * @param onEnd what to do when it has ended or was cancelled
	 * @return the contender under way
	 */
	Future<?> contend(Runnable contender, Runnable onEnd) {
		FutureTask<@Nullable Void> task = new FutureTask<>(() -> {
			CONTENDER.set(true);
			try {
				contender.run();
			}
			finally {
				CONTENDER.remove();
			}
		}, null) {

			@Override
			protected void done() {
				onEnd.run();
			}

		};
		this.executor.execute(task);
		return task;
	}

	void execute(Runnable task) {
		this.executor.execute(task);
	}

	@Override
	public void close() {
		if (this.executor instanceof ThreadPoolExecutor pool) {
			pool.shutdown();
		}
	}

}
