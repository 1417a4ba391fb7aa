package io.interlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Root of the exceptions about a lock. The subclasses are apart because callers must act
 * differently on each.
 *
 * @since 0.1.0
 */
public class LockException extends RuntimeException {

	private final LockId lockId;

	private final Duration waited;

	/**
	 * Create an exception.
	 * @param message what happened and what to do about it; kept within one line
	 * @param lockId which lock it is about
	 * @param waited how long the caller had waited for the lock
	 * @param cause the reason, if there is one
	 */
	public LockException(String message, LockId lockId, Duration waited, @Nullable Throwable cause) {
		super(PrintableText.of(message), cause);
		this.lockId = lockId;
		this.waited = waited;
	}

	/**
	 * {@return which lock this is about}
	 */
	public final LockId lockId() {
		return this.lockId;
	}

	/**
	 * {@return how long the caller had waited for the lock; zero if it did not wait}
	 */
	public final Duration waited() {
		return this.waited;
	}

}
