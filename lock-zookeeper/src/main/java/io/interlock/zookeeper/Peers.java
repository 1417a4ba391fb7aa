package io.interlock.zookeeper;

/**
 * Which plain Curator recipe other clients use on the path of a lock. Exclusive holds are
 * visible to that kind only.
 *
 * @since 0.1.0
 */
public enum Peers {

	/**
	 * {@code InterProcessMutex}. With {@link Recipe#CURATOR} shared requests are refused.
	 */
	MUTEX,

	/** {@code InterProcessReadWriteLock}. */
	READ_WRITE

}
