package io.interlock.admin;

import io.interlock.LockId;

/**
 * No contender for a lock has the token that an operator saw.
 *
 * @since 0.1.0
 */
public class StaleTokenException extends RuntimeException {

	/** Create an exception for the lock and the token. */
	public StaleTokenException(LockId id, long token) {
		super("No holder or waiter of lock %s has token %d any more: nothing was done. Look at the lock again"
			.formatted(id, token));
	}

}
