package io.interlock;

import java.time.Duration;

import io.interlock.internal.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * Root of the exceptions about a lock. Callers must react differently to each subclass.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	private final LockId lockId;

	private final Duration waited;

	/**
	 * Create an exception.
	 * @param message what happened and what to do about it; escaped to one line
	 * @param lockId the lock
	 * @param waited time that the caller had waited for the lock
	 * @param cause the reason, if there is one
	 */
	public LockException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(PrintableText.of(message), cause);
		this.lockId = lockId;
		this.waited = waited;
	}

	/** Return the lock. */
	public final LockId lockId() {
		return this.lockId;
	}

	/** Return the time that the caller had waited for the lock, or zero. */
	public final Duration waited() {
		return this.waited;
	}

}
