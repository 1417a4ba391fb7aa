package io.interlock.sample.show.live;

import java.time.Instant;
import java.util.List;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * One lock as one instance sees it.
 *
 * @param name name of the lock
 * @param key what the name is narrowed to
 * @param holders the threads of this instance that hold it, oldest first
 * @param waiting how many threads of this instance wait for it
 * @param waiters the first of them
 * @param tenureMillis for how long this instance has had it, whichever thread
 * @param tenureHandoffs how often it went from thread to thread in that time
 * @param activity what happened to it so far
 */
record LockView(String name, @Nullable String key, List<Holder> holders, int waiting, List<Waiter> waiters,
		long tenureMillis, int tenureHandoffs, LockActivity activity) {

	/**
	 * A thread that holds the lock.
	 *
	 * @param thread its name
	 * @param mode how it holds the lock
	 * @param since since when
	 * @param token fencing token
	 * @param valid whether the hold is known to be valid
	 * @param keptUntil when the lock is released, if the thread has ended its hold and
	 * the lock is kept for its minimum time
	 */
	record Holder(String thread, LockMode mode, Instant since, @Nullable Long token, boolean valid,
			@Nullable Instant keptUntil) {

	}

	/**
	 * A thread that waits for the lock.
	 *
	 * @param thread its name
	 * @param mode how it asks for the lock
	 * @param since since when
	 */
	record Waiter(String thread, LockMode mode, Instant since) {

	}

}
