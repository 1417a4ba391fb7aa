package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Time that stands still for holds until a test moves it. What is due runs on the thread
 * that moves the time, in the order of times.
 */
public final class MovedTime extends LockTime {

	private final List<Task> tasks = new ArrayList<>();

	private long now;

	@Override
	protected synchronized long nanoTime() {
		return this.now;
	}

	@Override
	protected synchronized Future<?> schedule(Runnable task, long nanos) {
		Task due = new Task(task, this.now + nanos);
		this.tasks.add(due);
		return due;
	}

	@Override
	protected void execute(Runnable news) {
		news.run();
	}

	public void advance(Duration time) {
		long target = nanoTime() + TimeUnit.NANOSECONDS.convert(time);
		for (Task next = moveToNext(target); next != null; next = moveToNext(target)) {
			next.run();
		}
	}

	private synchronized Task moveToNext(long target) {
		Task next = pending().stream()
			.filter((task) -> task.dueAt <= target)
			.min(Comparator.comparingLong((task) -> task.dueAt))
			.orElse(null);
		this.now = Math.max(this.now, (next != null) ? next.dueAt : target);
		this.tasks.remove(next);
		return next;
	}

	/**
	 * Return what is neither done nor cancelled.
	 */
	synchronized List<Task> pending() {
		this.tasks.removeIf(Future::isDone);
		return List.copyOf(this.tasks);
	}

	static final class Task extends FutureTask<Void> {

		private final long dueAt;

		private Task(Runnable task, long dueAt) {
			super(task, null);
			this.dueAt = dueAt;
		}

	}

}
