package io.interlock.template;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Actions for events of one hold, of which one event is the last. Invariant: every action
 * runs once for the last event, also one that is added meanwhile or afterwards; those
 * added before run in order, and one that fails keeps no other from running. Changes are
 * told by one thread at a time, so they are heard in order, and the last one heard is
 * true.
 * <p>
 * Every hold has actions and hardly any has an event, so they are guarded by their own
 * monitor, within which nothing blocks, and not by another object.
 *
 * @param <T> type of the events
 */
final class Actions<T> {

	private static final Log logger = LogFactory.getLog(Actions.class);

	private List<Consumer<T>> actions = List.of();

	private volatile @Nullable Last<T> last;

	/** The change that was told last; for the thread that tells. */
	private @Nullable T told;

	/** Number of threads with news that are not told yet. */
	private int untold;

	/**
	 * Create an instance without actions.
	 * @param known the event that is no news, or {@code null}
	 */
	Actions(@Nullable T known) {
		this.told = known;
	}

	/**
	 * Add an action; it runs at once, on the calling thread, if the last event is known.
	 */
	void add(Consumer<T> action) {
		Last<T> known = keep(action);
		if (known != null) {
			run(action, known.event);
		}
	}

	private synchronized @Nullable Last<T> keep(Consumer<T> action) {
		if (this.last == null) {
			List<Consumer<T>> added = new ArrayList<>(this.actions);
			added.add(action);
			this.actions = added;
		}
		return this.last;
	}

	/**
	 * Run the actions for an event that others may follow, unless the last one is known.
	 */
	void tell(T event) {
		List<Consumer<T>> due;
		synchronized (this) {
			due = (this.last == null) ? this.actions : List.of();
		}
		due.forEach((action) -> run(action, event));
	}

	/**
	 * Run the actions for what is true now, unless that is no change. News of another
	 * thread are told by the thread that tells already.
	 * @param current says what is true now, or {@code null} to tell nothing; never fails
	 */
	void tellChange(Supplier<@Nullable T> current) {
		synchronized (this) {
			if (this.untold++ > 0) {
				return;
			}
		}
		do {
			T now = current.get();
			if (now != null && !now.equals(this.told)) {
				this.told = now;
				tell(now);
			}
		}
		while (hasMoreNews());
	}

	private synchronized boolean hasMoreNews() {
		return --this.untold > 0;
	}

	/** Run the actions for the last event, unless it is known. */
	void tellLast(T event) {
		tellLast(event, Runnable::run);
	}

	/**
	 * Let the actions run for the last event, unless it is known.
	 * @param executor what runs them, one after the other
	 */
	void tellLast(T event, Executor executor) {
		Last<T> news = new Last<>(event);
		List<Consumer<T>> due;
		synchronized (this) {
			if (this.last != null) {
				return;
			}
			this.last = news;
			due = this.actions;
			this.actions = List.of();
		}
		executor.execute(() -> {
			news.teller = Thread.currentThread();
			due.forEach((action) -> run(action, event));
			news.told.countDown();
		});
	}

	static void onThreadOfItsOwn(Runnable actions) {
		try {
			new Thread(actions, "interlock-loss").start();
		}
		catch (OutOfMemoryError ex) {
			// No thread can be started.
			actions.run();
		}
	}

	private static <T> void run(Consumer<T> action, T event) {
		try {
			action.accept(event);
		}
		catch (Throwable ex) {
			logger.warn("An action for %s failed; the lock is not affected".formatted(event), ex);
		}
	}

	boolean knowsLast() {
		return this.last != null;
	}

	/**
	 * Wait for the actions to have run for the last event, if it is known. An interrupt
	 * does not end the wait and is kept. Does not wait inside one of the actions.
	 * @param nanos how long, for an action may itself wait for the caller
	 */
	void awaitLastTold(long nanos) {
		Last<T> known = this.last;
		if (known == null || known.teller == Thread.currentThread()) {
			return;
		}
		long deadline = System.nanoTime() + nanos;
		boolean interrupted = false;
		while (true) {
			try {
				known.told.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				break;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private static final class Last<T> {

		private final T event;

		private final CountDownLatch told = new CountDownLatch(1);

		private volatile @Nullable Thread teller;

		Last(T event) {
			this.event = event;
		}

	}

}
