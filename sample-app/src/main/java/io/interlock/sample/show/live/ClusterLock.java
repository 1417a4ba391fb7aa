package io.interlock.sample.show.live;

import java.time.Instant;
import java.util.List;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock in its store, in which an instance has one place for all its
 * threads.
 *
 * @param name name of the lock
 * @param key what the name is narrowed to
 * @param contenders the queue in its order, holders first
 */
record ClusterLock(String name, @Nullable String key, List<Contender> contenders) {

	/**
	 * A client in the queue.
	 *
	 * @param instance name of the instance, or {@code null} if it is none of the box
	 * office
	 * @param client what the client says about itself
	 * @param mode how it asks for the lock
	 * @param holds whether it holds the lock
	 * @param token fencing token
	 * @param since when it came
	 */
	record Contender(@Nullable String instance, String client, LockMode mode, boolean holds, @Nullable Long token,
			@Nullable Instant since) {

	}

}
