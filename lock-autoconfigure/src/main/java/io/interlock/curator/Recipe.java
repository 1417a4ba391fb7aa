package io.interlock.curator;

/**
 * Which recipe contends for locks in ZooKeeper.
 *
 * @since 0.1.0
 */
public enum Recipe {

	/**
	 * Curator's mutex with a driver that closes its gaps.
	 */
	GUARDED,

	/**
	 * Curator's read/write lock as it ships, without any guard.
	 */
	STOCK

}
