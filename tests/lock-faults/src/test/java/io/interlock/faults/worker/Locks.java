package io.interlock.faults.worker;

import java.time.Duration;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * One client and the locks that it offers: what is under test. Safe for use by many
 * threads.
 */
public interface Locks extends AutoCloseable {

	/**
	 * Acquire a lock. An interrupt is answered with the flag set.
	 * @param key which lock
	 * @param shared whether to share it
	 * @param wait how long to wait
	 * @return what came of it
	 */
	Answer acquire(String key, boolean shared, Duration wait);

	/**
	 * Acquire many locks together. An interrupt is answered with the flag set.
	 * @param keys which locks
	 * @param wait how long to wait for all of them
	 * @return what came of it
	 */
	default GroupAnswer acquireAll(List<String> keys, Duration wait) {
		throw new UnsupportedOperationException("Nothing here acquires locks together");
	}

	/**
	 * Return the client of ZooKeeper, {@code null} if the locks come from elsewhere.
	 */
	default @Nullable CuratorFramework client() {
		return null;
	}

	/**
	 * Take all connections of the pool for a time, if there is a pool.
	 * @param duration how long to keep them
	 */
	default void exhaustPool(Duration duration) {
	}

	/**
	 * Return how many creates have no answer yet, as far as that can be told.
	 */
	default int creating() {
		return 0;
	}

	/**
	 * Return how many deletes have no answer yet, as far as that can be told.
	 */
	default int deleting() {
		return 0;
	}

	/**
	 * Return what is known here of a lock, beside what its threads do.
	 * @param key which lock
	 * @return lines, none if nothing is known
	 */
	default List<String> belief(String key) {
		return List.of();
	}

	@Override
	void close();

}
