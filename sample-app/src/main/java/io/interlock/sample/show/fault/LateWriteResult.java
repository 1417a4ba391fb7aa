package io.interlock.sample.show.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/**
 * What came of a write that was too late.
 *
 * @param fence what fences the write
 * @param lateToken token of the late write
 * @param newestToken token of the holder after it
 * @param tickets how many tickets for the seat there are
 * @param refusal message of the exception that the late caller got, or {@code null}
 * @param steps what happened, in order
 */
record LateWriteResult(Fence fence, long lateToken, long newestToken, int tickets, @Nullable String refusal,
		List<Step> steps) {

	/**
	 * Something that happened.
	 *
	 * @param millis when it happened, counted from the begin
	 * @param actor where it happened
	 * @param token token of the lock that it is about
	 * @param text what happened
	 */
	record Step(long millis, Actor actor, long token, String text) {

	}

	/**
	 * Where something happens.
	 */
	enum Actor {

		/** The thread whose write comes too late. */
		ADA,

		/** The thread that has the lock after it. */
		GRACE,

		/** What grants the locks: ZooKeeper, a database or Redis. */
		STORE,

		/** The database with the row that both write. */
		DATABASE

	}

	/**
	 * Steps as they happen. Safe for use by many threads.
	 */
	static class Recording {

		private final long start = System.nanoTime();

		private final List<Step> steps = new CopyOnWriteArrayList<>();

		void add(Actor actor, long token, String text) {
			long millis = Duration.ofNanos(System.nanoTime() - this.start).toMillis();
			this.steps.add(new Step(millis, actor, token, text));
		}

		long token(Actor actor) {
			return this.steps.stream().filter((step) -> step.actor() == actor).findFirst().orElseThrow().token();
		}

		List<Step> steps() {
			return List.copyOf(this.steps);
		}

	}

}
