package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock was held and then lost, so others may have held it while the body ran. Also told
 * in place of the result of a body of which neither the clock nor the servers can say
 * that it ended under its lock; the cause is then why they could not.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	/**
	 * Create an exception with what
	 * {@link LockException#LockException(String, LockId, Duration, Throwable)} takes.
	 */
	public LockLostException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(message, lockId, waited, cause);
	}

}
