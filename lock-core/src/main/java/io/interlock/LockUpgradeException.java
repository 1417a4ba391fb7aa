package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An exclusive lock was asked for by a thread that holds the same lock shared. It would
 * wait for itself for ever: a program error, refused at once.
 *
 * @since 0.1.0
 */
public class LockUpgradeException extends LockException {

	/**
	 * Create an exception with what
	 * {@link LockException#LockException(String, LockId, Duration, Throwable)} takes.
	 */
	public LockUpgradeException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
