package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The lock service did not answer, so it is not known whether others hold the lock; or
 * this instance refuses to ask. Never thrown for contention.
 *
 * @since 0.1.0
 */
public class LockServiceUnavailableException extends LockException {

	/**
	 * Create an exception with what
	 * {@link LockException#LockException(String, LockId, Duration, Throwable)} takes.
	 */
	public LockServiceUnavailableException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
