package io.interlock.leader;

/**
 * The part of this instance in an election. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface Leadership extends AutoCloseable {

	/**
	 * Return whether this instance leads for certain, without any I/O. It is
	 * {@code false} while the connection is suspended, and before another instance can
	 * lead.
	 * @return whether this instance leads
	 */
	boolean isLeader();

	/**
	 * Return the number that orders leaders, for a resource that refuses older ones. Take
	 * it when the work begins: it is a greater one after this instance was elected again.
	 * @return the token of the present term, or of the last one if this instance does not
	 * lead
	 * @throws IllegalStateException if this instance has never led
	 */
	long token();

	/**
	 * Leave the election. Returns at once: {@link #isLeader()} is {@code false} from here
	 * on, and the listener is told before another instance can lead. Calls after the
	 * first have no effect.
	 */
	@Override
	void close();

}
