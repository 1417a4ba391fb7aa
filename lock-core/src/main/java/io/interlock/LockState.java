package io.interlock;

/**
 * State of a granted lock.
 *
 * @since 0.1.0
 */
public enum LockState {

	/** The lock is held for certain. */
	VALID,

	/**
	 * Held or lost: the connection is suspended, or the service has not confirmed the
	 * lease of the session for too long. Becomes {@link #VALID} or {@link #LOST}.
	 */
	UNCONFIRMED,

	/** The lock is lost for good: others may hold it now. */
	LOST,

	/** The holder has ended the hold. */
	RELEASED

}
