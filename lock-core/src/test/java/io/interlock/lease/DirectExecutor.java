package io.interlock.lease;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks on the thread that brings them.
 */
final class DirectExecutor extends AbstractExecutorService {

	/** Comes before each task, and may refuse it. */
	private final Runnable before;

	private volatile boolean shutdown;

	DirectExecutor(Runnable before) {
		this.before = before;
	}

	@Override
	public void execute(Runnable task) {
		this.before.run();
		task.run();
	}

	@Override
	public void shutdown() {
		this.shutdown = true;
	}

	@Override
	public List<Runnable> shutdownNow() {
		this.shutdown = true;
		return List.of();
	}

	@Override
	public boolean isShutdown() {
		return this.shutdown;
	}

	@Override
	public boolean isTerminated() {
		return this.shutdown;
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) {
		return true;
	}

}
