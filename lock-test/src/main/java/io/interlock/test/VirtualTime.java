package io.interlock.test;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.template.LockTime;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still for holds until a test moves it. Invariants: a task runs once,
 * on the thread that moves the time, when the time has reached it and in the order of
 * times. No task runs under the monitor.
 */
final class VirtualTime extends LockTime {

	private final VirtualWaits waits;

	/** In the order in which they are due; guarded by the monitor, as is the rest. */
	private final PriorityQueue<Task> tasks = new PriorityQueue<>(
			Comparator.<Task>comparingLong((task) -> task.dueAt).thenComparingLong((task) -> task.number));

	private long now;

	private long scheduled;

	VirtualTime(VirtualWaits waits) {
		this.waits = waits;
	}

	@Override
	protected synchronized long nanoTime() {
		return this.now;
	}

	@Override
	protected synchronized Future<?> schedule(Runnable task, long nanos) {
		Task due = new Task(task, later(nanos), this.scheduled++);
		this.tasks.add(due);
		return due;
	}

	@Override
	protected void execute(Runnable news) {
		news.run();
	}

	private synchronized long later(long nanos) {
		return (nanos < Long.MAX_VALUE - this.now) ? this.now + nanos : Long.MAX_VALUE;
	}

	/**
	 * Move the time, and run what is due.
	 */
	void advance(Duration time) {
		long target = later(TimeUnit.NANOSECONDS.convert(time));
		for (Task due = moveToNext(target); due != null; due = moveToNext(target)) {
			due.run();
		}
	}

	/**
	 * Move the time to that of the next task.
	 * @return the task, or {@code null} if none is due before the target
	 */
	private synchronized @Nullable Task moveToNext(long target) {
		Task next = this.tasks.peek();
		boolean due = next != null && next.dueAt <= target;
		this.now = Math.max(this.now, due ? next.dueAt : target);
		return due ? this.tasks.poll() : null;
	}

	private synchronized void forget(Task task) {
		this.tasks.remove(task);
	}

	@Override
	protected Optional<LockGrant> await(LockRequest request, LockAttempt attempt, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		CompletableFuture<Void> passed = this.waits.begin(request);
		CompletableFuture<?> decided = attempt.outcome().handle((grant, failure) -> true);
		try {
			CompletableFuture.anyOf(decided, passed).get(nanos, TimeUnit.NANOSECONDS);
			awaitPlace(attempt);
			return attempt.outcome().get(0, TimeUnit.NANOSECONDS);
		}
		finally {
			passed.cancel(false);
		}
	}

	@Override
	protected Future<?> onDeadline(LockRequest request, LockAttempt attempt, Runnable passed, long nanos) {
		CompletableFuture<Void> deadline = this.waits.begin(request);
		Future<?> real = super.onDeadline(request, attempt, () -> deadline.complete(null), nanos);
		deadline.whenComplete((nothing, cancelled) -> {
			real.cancel(false);
			if (cancelled == null) {
				awaitPlace(attempt);
				passed.run();
			}
		});
		return deadline;
	}

	/**
	 * Let an attempt find its place behind the holders, which takes another thread that
	 * asks for both no more than a moment. Its failure would be taken for an outage.
	 */
	private static void awaitPlace(LockAttempt attempt) {
		while (!attempt.outcome().isDone() && attempt.phase() != Phase.QUEUED
				&& !Thread.currentThread().isInterrupted()) {
			Thread.yield();
		}
	}

	/**
	 * What a hold wants done at a time.
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

}
