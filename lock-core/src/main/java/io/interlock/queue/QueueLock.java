package io.interlock.queue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The lock of a queue. A change under the lock collects effects, which may block or call
 * back: they run after the lock is released. Invariant: every effect that was collected
 * runs, whatever fails.
 */
final class QueueLock {

	private final ReentrantLock lock = new ReentrantLock();

	private final Consumer<List<Runnable>> settle;

	/** {@code settle}: restores the invariants of the queue after each change. */
	QueueLock(Consumer<List<Runnable>> settle) {
		this.settle = settle;
	}

	<T extends @Nullable Object> T call(Supplier<T> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	void change(Consumer<List<Runnable>> change) {
		this.<@Nullable Void>changeAndGet((effects) -> {
			change.accept(effects);
			return null;
		});
	}

	<T extends @Nullable Object> T changeAndGet(Function<List<Runnable>, T> change) {
		List<Runnable> effects = new ArrayList<>(2);
		this.lock.lock();
		try {
			T changed = change.apply(effects);
			this.settle.accept(effects);
			return changed;
		}
		finally {
			this.lock.unlock();
			// Even if an error has ended the change: it may have decided a waiter.
			runAll(effects.iterator());
		}
	}

	/** A waiter may depend on each effect, so all are run even if some fail. */
	private static void runAll(Iterator<Runnable> effects) {
		try {
			while (effects.hasNext()) {
				effects.next().run();
			}
		}
		finally {
			if (effects.hasNext()) {
				runAll(effects);
			}
		}
	}

}
