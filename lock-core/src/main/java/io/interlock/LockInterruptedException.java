package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The thread was interrupted while it waited for a lock. Its interrupt flag is set again,
 * and its request is withdrawn.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockException {

	/** Like {@link LockException#LockException(String, LockId, Duration, Throwable)}. */
	public LockInterruptedException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
