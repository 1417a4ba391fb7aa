package io.interlock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Others held the lock for as long as the caller was willing to wait. Never thrown for an
 * outage.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends LockException {

	private final @Nullable String holder;

	/**
	 * Create an exception.
	 * @param message what happened and what to do about it
	 * @param lockId which lock it is about
	 * @param waited how long the caller had waited for the lock
	 * @param holder the holder of the lock, if it is known at no extra cost
	 */
	public LockNotAcquiredException(String message, LockId lockId, Duration waited, @Nullable String holder) {
		super(message, lockId, waited, null);
		this.holder = holder;
	}

	/**
	 * {@return the holder of the lock, or empty if it is not known} Known without asking
	 * the servers only when it is a thread of this JVM.
	 */
	public Optional<String> holder() {
		return Optional.ofNullable(this.holder);
	}

}
