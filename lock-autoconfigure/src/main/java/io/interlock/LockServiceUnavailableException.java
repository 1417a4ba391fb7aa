package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The lock service did not answer, so nobody knows who holds the lock. Never thrown for
 * contention.
 *
 * @since 0.1.0
 */
public class LockServiceUnavailableException extends LockException {

	/**
	 * Create an exception.
	 * @param message what happened and what to do about it
	 * @param lockId which lock it is about
	 * @param waited how long the caller had waited for the lock
	 * @param cause the reason, if there is one
	 */
	public LockServiceUnavailableException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
