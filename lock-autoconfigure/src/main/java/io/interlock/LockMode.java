package io.interlock;

/**
 * How a lock is shared.
 *
 * @since 0.1.0
 */
public enum LockMode {

	/**
	 * One holder at a time, and no shared holder beside it.
	 */
	EXCLUSIVE,

	/**
	 * Any number of shared holders, and no exclusive holder beside them.
	 */
	SHARED

}
