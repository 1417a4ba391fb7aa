package io.interlock.admin;

import io.interlock.LockId;

/**
 * Nobody holds a lock, or waits for it, with the token that somebody saw.
 *
 * @since 0.1.0
 */
public class StaleTokenException extends RuntimeException {

	/**
	 * Create an exception.
	 * @param id which lock
	 * @param token the token
	 */
	public StaleTokenException(LockId id, long token) {
		super("No node of lock %s has token %d any more: nothing was done. Look at the lock again".formatted(id,
				token));
	}

}
