package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The lock service did not answer, or this instance did not ask it: it is unknown whether
 * others hold the lock. Never thrown for contention.
 *
 * @since 0.1.0
 */
public class LockServiceUnavailableException extends LockException {

	/** Like {@link LockException#LockException(String, LockId, Duration, Throwable)}. */
	public LockServiceUnavailableException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
