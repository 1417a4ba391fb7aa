package io.interlock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Somebody else held the lock for as long as the caller was willing to wait. Never thrown
 * for an outage.
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
	 * @param holder who holds the lock, if that is known at no extra cost
	 */
	public LockNotAcquiredException(String message, LockId lockId, Duration waited, @Nullable String holder) {
		super(message, lockId, waited, null);
		this.holder = holder;
	}

	/**
	 * Return who holds the lock. Known without asking the servers only when it is a
	 * thread of this JVM.
	 * @return the holder, or empty if it is not known
	 */
	public Optional<String> holder() {
		return Optional.ofNullable(this.holder);
	}

}
