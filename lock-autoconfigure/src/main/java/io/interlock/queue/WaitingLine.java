package io.interlock.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Who waits, in the order in which they came. Those who have given up drop out when they
 * come to the front, if not before. Guarded by the lock of its queue.
 */
final class WaitingLine {

	private final Deque<Waiter> waiters = new ArrayDeque<>(4);

	private final int max;

	WaitingLine(int max) {
		this.max = max;
	}

	/**
	 * Take in somebody.
	 * @param waiter who
	 * @param first whether he goes before everybody else, for whom there is always room
	 * @return {@code false} if too many wait
	 */
	boolean add(Waiter waiter, boolean first) {
		if (first) {
			this.waiters.addFirst(waiter);
		}
		else if (this.waiters.size() >= this.max) {
			return false;
		}
		else {
			this.waiters.addLast(waiter);
		}
		return true;
	}

	boolean remove(Waiter waiter) {
		return this.waiters.remove(waiter);
	}

	/**
	 * Return who is next.
	 * @return the first one who has not given up, or {@code null}
	 */
	@Nullable Waiter first() {
		Waiter first = this.waiters.peekFirst();
		while (first != null && !first.isUndecided()) {
			this.waiters.removeFirst();
			first = this.waiters.peekFirst();
		}
		return first;
	}

	void removeFirst() {
		this.waiters.removeFirst();
	}

	/**
	 * Refuse everybody.
	 * @param failure what to tell them
	 * @param effects where to note what is to be done without the lock
	 * @return whether there was anybody
	 */
	boolean failAll(Throwable failure, List<Runnable> effects) {
		boolean anybody = !this.waiters.isEmpty();
		this.waiters.forEach((waiter) -> waiter.fail(failure, effects));
		this.waiters.clear();
		return anybody;
	}

	int size() {
		return this.waiters.size();
	}

}
