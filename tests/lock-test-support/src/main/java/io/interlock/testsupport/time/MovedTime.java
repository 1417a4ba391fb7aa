package io.interlock.testsupport.time;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.util.CustomizableThreadCreator;

/**
 * The time of the system, which a test moves forward beside. Invariants: it never goes
 * back; tasks run on one thread, in the order in which they are due; when the time was
 * moved, the tasks that are due have run, and so has what they have given to threads of
 * this time, unless that takes very long. So nothing is late because a machine is busy.
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class MovedTime implements AutoCloseable {

	private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** In the order in which they are due; guarded by the monitor, as is the rest. */
	private final PriorityQueue<Task> tasks = new PriorityQueue<>(
			Comparator.<Task>comparingLong((task) -> task.dueAt).thenComparingLong((task) -> task.number));

	private final Thread timer = new Thread(this::run, "moved-time");

	private final long start = System.nanoTime();

	private volatile long movedNanos;

	private long scheduled;

	private int running;

	private boolean closed;

	public MovedTime() {
		this.timer.setDaemon(true);
		this.timer.start();
	}

	/**
	 * {@return nanoseconds since this time was made}
	 */
	public long nanoTime() {
		return System.nanoTime() - this.start + this.movedNanos;
	}

	/**
	 * {@return by how much this time is ahead of that of the system}
	 */
	public Duration moved() {
		return Duration.ofNanos(this.movedNanos);
	}

	/**
	 * Run a task later.
	 * @param task what to do; neither blocks nor fails
	 * @param nanos when, in nanoseconds from now
	 * @return the task, which can be cancelled
	 */
	public synchronized Future<?> schedule(Runnable task, long nanos) {
		Task due = new Task(task, nanoTime() + nanos, this.scheduled++);
		this.tasks.add(due);
		notifyAll();
		return due;
	}

	/**
	 * Make daemon threads that end when they are idle.
	 * @param prefix how their names begin
	 * @param size how many there are at the most
	 * @return the threads
	 */
	public ExecutorService threads(String prefix, int size) {
		CustomizableThreadCreator daemons = new CustomizableThreadCreator(prefix);
		daemons.setDaemon(true);
		return new Threads(size, daemons);
	}

	/**
	 * Move the time. Tasks that are due within one step run after it, once each.
	 * @param time by how much
	 * @param step how far it goes without a stop
	 */
	public void advance(Duration time, Duration step) {
		long left = time.toNanos();
		while (left > 0) {
			long nanos = Math.min(left, step.toNanos());
			left -= nanos;
			advance(nanos);
		}
	}

	/**
	 * Move the time at once, as for a process that has stood still. Waits for nothing, so
	 * a task may do it.
	 * @param time by how much
	 */
	public synchronized void jump(Duration time) {
		this.movedNanos += time.toNanos();
		notifyAll();
	}

	private synchronized void advance(long nanos) {
		jump(Duration.ofNanos(nanos));
		long deadline = System.nanoTime() + LONGEST_REST_NANOS;
		while ((this.running > 0 || nextDueIn() <= 0) && System.nanoTime() - deadline < 0) {
			await(deadline - System.nanoTime());
		}
	}

	private long nextDueIn() {
		Task next = this.tasks.peek();
		return (next != null) ? next.dueAt - nanoTime() : Long.MAX_VALUE;
	}

	private void await(long nanos) {
		try {
			TimeUnit.NANOSECONDS.timedWait(this, nanos);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void run() {
		for (Task due = next(); due != null; due = next()) {
			due.run();
			ended();
		}
	}

	/**
	 * Wait for the next task.
	 * @return the task, which counts as running, or {@code null} if this is closed
	 */
	private synchronized @Nullable Task next() {
		while (!this.closed) {
			long nanos = nextDueIn();
			if (nanos <= 0) {
				this.running++;
				return this.tasks.remove();
			}
			await(nanos);
		}
		return null;
	}

	private synchronized void begun() {
		this.running++;
	}

	private synchronized void ended() {
		this.running--;
		notifyAll();
	}

	private synchronized void forget(Task task) {
		this.tasks.remove(task);
	}

	/**
	 * End the timer, which runs no more tasks.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		notifyAll();
	}

	/**
	 * What is to be done at a time.
	 */
	private final class Task extends FutureTask<@Nullable Void> {

		private final long dueAt;

		private final long number;

		Task(Runnable task, long dueAt, long number) {
			super(task, null);
			this.dueAt = dueAt;
			this.number = number;
		}

		/** Ended or cancelled. */
		@Override
		protected void done() {
			forget(this);
		}

	}

	/**
	 * Threads whose tasks count as running from the moment when they are given.
	 */
	private final class Threads extends ThreadPoolExecutor {

		Threads(int size, CustomizableThreadCreator daemons) {
			super(size, size, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons::createThread);
			allowCoreThreadTimeOut(true);
		}

		@Override
		public void execute(Runnable task) {
			begun();
			try {
				super.execute(() -> {
					try {
						task.run();
					}
					finally {
						ended();
					}
				});
			}
			catch (RuntimeException ex) {
				ended();
				throw ex;
			}
		}

	}

}
