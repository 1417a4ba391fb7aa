package io.interlock.template;

import java.util.concurrent.Future;

/**
 * The time of the system with a timer of its own, whose thread and tasks are those of one
 * test. Closing it ends the thread.
 */
final class OwnTimer extends LockTime implements AutoCloseable {

	private final AsyncThreads.Timer timer = new AsyncThreads.Timer();

	@Override
	protected long nanoTime() {
		return System.nanoTime();
	}

	@Override
	protected Future<?> schedule(Runnable task, long nanos) {
		return this.timer.after(nanos, task);
	}

	@Override
	AsyncThreads.Timer timer() {
		return this.timer;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
