package io.interlock;

/**
 * Mode of a lock.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/** One holder at a time, and no shared holder beside it. */
	EXCLUSIVE,

	/** Any number of shared holders, and no exclusive holder beside them. */
	SHARED,

	/** A limited number of holders, and none in another mode beside them: a semaphore. */
	PERMIT;

	/**
	 * Return whether a holder in this mode excludes one in another mode.
	 * @param other the other mode
	 * @return {@code false} if both are shared, or both are permits, whose number counts
	 */
	public boolean excludes(LockMode other) {
		return this == EXCLUSIVE || this != other;
	}

}
