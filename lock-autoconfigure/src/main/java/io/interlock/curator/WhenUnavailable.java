package io.interlock.curator;

/**
 * What an acquisition does while the connection to ZooKeeper is known to be down.
 *
 * @since 0.1.0
 */
public enum WhenUnavailable {

	/**
	 * Wait for it to come back, at most for the wait time of the request.
	 */
	WAIT,

	/**
	 * Fail at once, waiters included.
	 */
	FAIL_FAST

}
