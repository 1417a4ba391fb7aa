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
 * runs once for the last event, also one that is added meanwhile or afterwards, and never
 * again. One that runs for an earlier event hears the last one from the thread that it
 * runs on, and keeps no other from hearing it; all others hear it in order. One that
 * fails keeps no other from running. Changes are told by one thread at a time, so they
 * are heard in order, and the last one heard is true.
 * <p>
 * Every hold has actions and hardly any has an event, so they are guarded by their own
 * monitor, within which nothing blocks, and not by another object.
 */
final class Actions<T> {

	private static final Log logger = LogFactory.getLog(Actions.class);

	private List<Action<T>> actions = List.of();

	private volatile @Nullable Last<T> last;

	private @Nullable T told;

	private int untold;

	Actions(@Nullable T known) {
		this.told = known;
	}

	/** Add an action; it runs at once, on this thread, if the last event is known. */
	void add(Consumer<T> consumer) {
		Last<T> known = addUnlessLast(new Action<>(consumer));
		if (known != null) {
			run(consumer, known.event);
		}
	}

	private synchronized @Nullable Last<T> addUnlessLast(Action<T> action) {
		if (this.last == null) {
			List<Action<T>> added = new ArrayList<>(this.actions);
			added.add(action);
			this.actions = added;
		}
		return this.last;
	}

	/** Run the actions for an event that is not the last, on one thread at a time. */
	void tell(T event) {
		List<Action<T>> due;
		synchronized (this) {
			due = this.actions;
		}
		due.forEach((action) -> action.tell(event));
	}

	/**
	 * Run the actions for the current state, whose supplier never fails, if it is a
	 * change and not {@code null}. A thread that tells already takes another's news.
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

	void tellLast(T event) {
		tellLast(event, Runnable::run);
	}

	void tellLast(T event, Executor executor) {
		Last<T> news;
		synchronized (this) {
			if (this.last != null) {
				return;
			}
			news = new Last<>(event, this.actions, new CountDownLatch(this.actions.size()));
			this.last = news;
			this.actions = List.of();
		}
		executor.execute(() -> news.due.forEach((action) -> action.tellLast(news)));
	}

	private static <T> void run(Consumer<T> consumer, T event) {
		try {
			consumer.accept(event);
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
	 * does not end the wait and is kept. Does not wait inside one of the actions, and not
	 * for ever, because an action may itself wait for the caller.
	 */
	void awaitLastTold(long nanos) {
		Last<T> known = this.last;
		if (known == null || known.due.stream().anyMatch((action) -> action.teller == Thread.currentThread())) {
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

	private record Last<T>(T event, List<Action<T>> due, CountDownLatch told) {
	}

	/**
	 * An action that runs for one event at a time. Invariant: there is a teller while it
	 * runs, and the teller runs it for the last event if that has come meanwhile.
	 */
	private static final class Action<T> {

		private final Consumer<T> consumer;

		private volatile @Nullable Thread teller;

		private @Nullable Last<T> last;

		Action(Consumer<T> consumer) {
			this.consumer = consumer;
		}

		void tell(T event) {
			if (begin(null)) {
				run(this.consumer, event);
				Last<T> news = end();
				if (news != null) {
					runLast(news);
				}
			}
		}

		void tellLast(Last<T> news) {
			if (begin(news)) {
				runLast(news);
			}
		}

		private synchronized boolean begin(@Nullable Last<T> news) {
			boolean known = this.last != null;
			if (news != null) {
				this.last = news;
			}
			if (known || this.teller != null) {
				return false;
			}
			this.teller = Thread.currentThread();
			return true;
		}

		/** Stop running, unless the last event has come. */
		private synchronized @Nullable Last<T> end() {
			if (this.last == null) {
				this.teller = null;
			}
			return this.last;
		}

		private void runLast(Last<T> news) {
			run(this.consumer, news.event);
			this.teller = null;
			news.told.countDown();
		}

	}

}
