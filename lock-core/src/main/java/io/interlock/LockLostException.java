package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A held lock was lost, so others may have held it while the body ran. Also thrown, with
 * the reason as cause, if neither the clock nor the servers confirm that the lock was
 * held until the body ended.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	/** Like {@link LockException#LockException(String, LockId, Duration, Throwable)}. */
	public LockLostException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
