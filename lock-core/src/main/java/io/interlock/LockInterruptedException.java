package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The thread was interrupted while it waited for a lock. Its interrupt flag is set again,
 * and nothing is left behind.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockException {

	/**
	 * Create an exception with what
	 * {@link LockException#LockException(String, LockId, Duration, Throwable)} takes.
	 */
	public LockInterruptedException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
