package io.interlock.queue;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Why somebody may not wait.
 */
final class Refusals {

	private Refusals() {
	}

	static LockException stopping(LockId id) {
		return new LockServiceUnavailableException(
				"Lock %s cannot be acquired: this instance is shutting down".formatted(id), id, Duration.ZERO, null);
	}

	static Throwable failed(LockId id, @Nullable Throwable failure) {
		return (failure != null) ? failure
				: new IllegalStateException("The provider let nobody wait for lock %s".formatted(id));
	}

	static LockException tooManyWaiting(LockId id, int max) {
		return new LockNotAcquiredException(
				("Lock %s was not acquired: %d threads of this instance wait for it already. "
						+ "Raise interlock.queue.max-waiting, or hold the lock for a shorter time")
					.formatted(id, max),
				id, Duration.ZERO, null);
	}

}
