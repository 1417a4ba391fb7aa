package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import io.interlock.LockServiceUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one queue, in the order of their arrival. Waiters that have given up are
 * removed when they reach the front, if not before. Guarded by the lock of the queue.
 */
final class Waiters {

	private final Deque<Waiter> line = new ArrayDeque<>(4);

	private final int max;

	Waiters(int max) {
		this.max = max;
	}

	/** Enqueue or refuse a waiter. One that retries goes to the front, never refused. */
	void add(Waiter waiter, Effects effects) {
		if (waiter.caller().retries()) {
			this.line.addFirst(waiter);
		}
		else if (this.line.size() < this.max) {
			this.line.addLast(waiter);
		}
		else {
			waiter.fail(new LockServiceUnavailableException(
					("Lock %s is unavailable: too many waiting, %d threads of this instance wait for it already. "
							+ "Raise interlock.queue.max-waiting, or hold the lock for a shorter time")
						.formatted(waiter.request().id(), this.max),
					waiter.request().id(), Duration.ZERO, null), effects);
		}
	}

	@Nullable Waiter first() {
		Waiter first = this.line.peekFirst();
		while (first != null && first.isDecided()) {
			this.line.removeFirst();
			first = this.line.peekFirst();
		}
		return first;
	}

	boolean cameBefore(long instant) {
		Waiter first = first();
		return first != null && first.cameBefore(instant);
	}

	void removeFirst() {
		this.line.removeFirst();
	}

	boolean remove(Waiter waiter) {
		return this.line.remove(waiter);
	}

	/** Return whether there were any waiters. */
	boolean failAll(Throwable failure, Effects effects) {
		this.line.forEach((waiter) -> waiter.fail(failure, effects));
		boolean any = !this.line.isEmpty();
		this.line.clear();
		return any;
	}

	int size() {
		return this.line.size();
	}

}
