package io.interlock;

/**
 * What is known about a lock that was granted.
 *
 * @since 0.1.0
 */
public enum LockState {

	/** The lock is held for certain. */
	VALID,

	/**
	 * Whether the lock is held is not known: the connection is suspended, or the service
	 * has not confirmed the lease of the session for too long. Becomes {@link #VALID} or
	 * {@link #LOST}.
	 */
	UNCONFIRMED,

	/** The lock is lost for good: others may hold it now. */
	LOST,

	/** The hold was ended by its holder. */
	RELEASED

}
