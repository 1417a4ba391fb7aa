package io.interlock.sample.show.live;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One instance with its session, its locks and its waits.
 *
 * @param name name of the instance
 * @param id its identifier in the queues of locks, or {@code null} if it is not known
 * @param locking whether its annotated methods take their locks
 * @param answers whether it answered; if not, the rest is empty
 * @param at when it looked, by its own clock
 * @param session its ZooKeeper session, or {@code null} if its locks are elsewhere
 * @param zooKeeperRuns whether the ZooKeeper server inside it runs, or {@code null} if it
 * has none
 * @param locks the locks that it uses or has used
 * @param waits the waits of the last minute
 * @param story the last things that happened to it
 */
record InstanceView(String name, @Nullable String id, boolean locking, boolean answers, Instant at,
		@Nullable Session session, @Nullable Boolean zooKeeperRuns, List<LockView> locks, List<WaitTimes.Second> waits,
		List<Story.Happening> story) {

	static InstanceView silent(String name, boolean locking) {
		return new InstanceView(name, null, locking, false, Instant.now(), null, null, List.of(), List.of(), List.of());
	}

	/**
	 * A ZooKeeper session.
	 *
	 * @param state state of the connection
	 * @param since when that state was entered
	 * @param id identifier of the session, in the form that the server logs it
	 */
	record Session(String state, Instant since, @Nullable String id) {

	}

}
