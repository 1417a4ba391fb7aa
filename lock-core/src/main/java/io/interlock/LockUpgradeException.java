package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A thread that holds a shared lock asked for it exclusively. It would wait for itself
 * forever. This program error is refused at once.
 *
 * @since 0.1.0
 */
public class LockUpgradeException extends LockException {

	/** Like {@link LockException#LockException(String, LockId, Duration, Throwable)}. */
	public LockUpgradeException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
