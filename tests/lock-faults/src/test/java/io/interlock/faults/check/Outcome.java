package io.interlock.faults.check;

/**
 * How an attempt to acquire a lock ended.
 */
public enum Outcome {

	/**
	 * With the lock.
	 */
	ACQUIRED,

	/**
	 * Somebody else holds it.
	 */
	CONTENDED,

	/**
	 * Nobody knows who holds it.
	 */
	UNAVAILABLE,

	/**
	 * The thread was interrupted.
	 */
	INTERRUPTED

}
