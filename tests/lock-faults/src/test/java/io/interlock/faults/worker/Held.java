package io.interlock.faults.worker;

/**
 * A lock that a worker holds.
 */
public interface Held {

	/**
	 * Return the fencing token.
	 * @return the token, 0 if there is none
	 */
	long token();

	/**
	 * Return whether the lock is held, as far as its holder is told.
	 */
	boolean isValid();

	/**
	 * Return when its holder was told of a loss.
	 * @return the time, {@link Long#MAX_VALUE} if it was not
	 */
	long lostAt();

	/**
	 * Return whether a thread may close it that has not acquired it.
	 */
	default boolean closesOnAnyThread() {
		return true;
	}

	void close();

}
