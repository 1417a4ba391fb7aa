package io.interlock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Others held the lock for the whole wait time. Never thrown for an outage.
 *
 * @since 0.1.0
 */
public class LockNotAcquiredException extends LockException {

	private final @Nullable String holder;

	/** Like {@link LockException}, with the holder if it is known without a request. */
	public LockNotAcquiredException(String message, LockId lockId, Duration waited, @Nullable String holder) {
		super(message, lockId, waited, null);
		this.holder = holder;
	}

	/**
	 * Return the holder that blocked the request, or empty if it was not a thread of this
	 * JVM.
	 */
	public Optional<String> holder() {
		return Optional.ofNullable(this.holder);
	}

}
