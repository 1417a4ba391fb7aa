package io.interlock.admin;

import io.interlock.LockId;

/**
 * No contender for a lock has the token that an operator saw, or it only waits, and is
 * asked to give the lock up.
 *
 * @since 0.1.0
 */
public class StaleTokenException extends RuntimeException {

	/** Create an exception for the lock and the token. */
	public StaleTokenException(LockId id, long token) {
		super("No holder or waiter of lock %s has token %d any more: nothing was done. Look at the lock again"
			.formatted(id, token));
	}

	private StaleTokenException(String message) {
		super(message);
	}

	/** Create an exception for the token of a waiter, which holds nothing to give up. */
	public static StaleTokenException ofWaiter(LockId id, long token) {
		return new StaleTokenException(
				("Token %d belongs to a waiter of lock %s, which has nothing to give up: nothing was done. Ask the "
						+ "holder, or free the waiter's place with DELETE")
					.formatted(token, id));
	}

}
