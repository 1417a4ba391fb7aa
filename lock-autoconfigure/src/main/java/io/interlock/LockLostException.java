package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock was held and then lost, so others may have held it while the body ran.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	/**
	 * Create an exception.
	 * @param message what happened and what to do about it
	 * @param lockId which lock it is about
	 * @param waited how long the caller had waited for the lock
	 * @param cause the reason, if there is one
	 */
	public LockLostException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
