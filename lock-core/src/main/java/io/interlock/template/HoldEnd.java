package io.interlock.template;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * What is left to do when a hold has ended, because it may block: to wait for the answer
 * to its release, and to tell listeners. Invariant: of holds that end together, this
 * begins when the releases of all have begun, so that none keeps another one held.
 */
final class HoldEnd {

	/** For a handle that was not the last of its hold. */
	static final HoldEnd NONE = new HoldEnd(null, () -> {
	});

	private final @Nullable GrantRelease release;

	private final Runnable news;

	HoldEnd(@Nullable GrantRelease release, Runnable news) {
		this.release = release;
		this.news = news;
	}

	HoldEnd followedBy(Runnable more) {
		return new HoldEnd(this.release, () -> {
			this.news.run();
			more.run();
		});
	}

	void finish() {
		finish(List.of(this));
	}

	/** Wait for the answers together, at most once the timeout, and tell in order. */
	static void finish(List<HoldEnd> ends) {
		try {
			long begunAt = System.nanoTime();
			ends.forEach((end) -> end.awaitAnswer(begunAt));
			long answeredAt = System.nanoTime();
			ends.forEach((end) -> end.awaitActions(answeredAt));
		}
		finally {
			each(ends, (end) -> end.news.run());
		}
	}

	private void awaitAnswer(long since) {
		if (this.release != null) {
			this.release.await(since);
		}
	}

	private void awaitActions(long since) {
		if (this.release != null) {
			this.release.awaitActions(since);
		}
	}

	/** Begin all in order, whatever one of them throws, and finish them together. */
	static <T> void together(List<T> holds, Function<T, HoldEnd> beginning) {
		List<HoldEnd> begun = new ArrayList<>(holds.size());
		try {
			each(holds, (hold) -> begun.add(beginning.apply(hold)));
		}
		finally {
			finish(begun);
		}
	}

	/** Do the same to all, and throw the first error behind that, or else exception. */
	static <T> void each(List<T> all, Consumer<T> action) {
		RuntimeException failure = null;
		Error error = null;
		for (T one : all) {
			try {
				action.accept(one);
			}
			catch (RuntimeException ex) {
				failure = (failure != null) ? failure : ex;
			}
			catch (Error ex) {
				error = (error != null) ? error : ex;
			}
		}
		if (error != null) {
			throw error;
		}
		if (failure != null) {
			throw failure;
		}
	}

}
