package io.interlock.leader;

import java.time.Duration;

/**
 * The part of this instance in an election. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface Leadership extends AutoCloseable {

	/**
	 * {@return whether this instance leads for certain, without any I/O} It is {@code
	 * false} while the connection is suspended, and before another instance can lead.
	 */
	boolean isLeader();

	/**
	 * Return the number that orders leaders, for a resource that refuses older ones. Take
	 * it when the work begins: it is greater after each election.
	 * @return the token of the present term, or of the last one if this instance does not
	 * lead
	 * @throws IllegalStateException if this instance has never led
	 */
	long token();

	/**
	 * Give up the leadership of this instance, and stand for election again after a
	 * pause. Returns at once: {@link #isLeader()} is {@code false} from here on, and the
	 * listeners run before another instance can lead. Does nothing while this instance
	 * does not lead.
	 * @param pause how long other instances have the choice; zero for the end of the
	 * queue
	 * @throws IllegalArgumentException if the pause is negative
	 */
	void yield(Duration pause);

	/**
	 * Leave the election. Returns at once: {@link #isLeader()} is {@code false} from here
	 * on, and the listener runs before another instance can lead. Calls after the first
	 * have no effect.
	 */
	@Override
	void close();

}
