package io.interlock;

/**
 * Mode of a lock.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/** One holder at a time, without any shared holder. */
	EXCLUSIVE,

	/** Any number of shared holders, without an exclusive holder. */
	SHARED,

	/** A limited number of holders, without any in another mode: a semaphore. */
	PERMIT;

	/**
	 * Return whether a holder in this mode excludes one in another mode.
	 * @param other the other mode
	 * @return {@code false} if both are shared, or both are permits, which are counted
	 */
	public boolean excludes(LockMode other) {
		return this == EXCLUSIVE || this != other;
	}

}
