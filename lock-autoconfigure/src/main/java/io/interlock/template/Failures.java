package io.interlock.template;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockAttempt;
import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockUpgradeException;
import org.jspecify.annotations.Nullable;

/**
 * The words of the exceptions: what happened, and what to do about it.
 */
final class Failures {

	private Failures() {
	}

	static LockNotAcquiredException notAcquired(LockId id, Duration waited, @Nullable String holder) {
		String by = (holder != null) ? holder : "another instance";
		return new LockNotAcquiredException(
				"Lock %s was not acquired within %s: it is held by %s".formatted(id, text(waited), by), id, waited,
				holder);
	}

	static LockServiceUnavailableException unavailable(LockId id, Duration waited, LockAttempt.Phase phase) {
		String doing = switch (phase) {
			case CONNECTING -> "there is no connection to it";
			case CREATING -> "the request was not answered";
			case QUEUED -> "the answers have stopped";
		};
		return new LockServiceUnavailableException(
				"The lock service did not answer for lock %s within %s: %s. Whether somebody holds the lock is not known"
					.formatted(id, text(waited), doing),
				id, waited, null);
	}

	static LockException failed(LockId id, Duration waited, Throwable cause) {
		if (cause instanceof LockServiceUnavailableException unavailable) {
			return new LockServiceUnavailableException(String.valueOf(unavailable.getMessage()), id, waited,
					unavailable);
		}
		if (cause instanceof LockNotAcquiredException refused) {
			return new LockNotAcquiredException(String.valueOf(refused.getMessage()), id, waited,
					refused.holder().orElse(null));
		}
		if (cause instanceof LockException known) {
			return new LockException(String.valueOf(known.getMessage()), id, waited, known);
		}
		return new LockException("Acquiring lock %s failed: %s".formatted(id, cause), id, waited, cause);
	}

	static LockInterruptedException interrupted(LockId id, Duration waited, @Nullable Throwable failure) {
		return new LockInterruptedException(
				"The thread was interrupted after it had waited %s for lock %s".formatted(text(waited), id), id, waited,
				failure);
	}

	static LockUpgradeException upgrade(LockRequest request) {
		return new LockUpgradeException(
				("This thread holds lock %s shared and asks for it exclusively: it would wait for itself for ever. "
						+ "Ask for it exclusively in the first place, or release it before")
					.formatted(request.id()),
				request.id(), Duration.ZERO, null);
	}

	static LockLostException lost(LockId id, Instant acquiredAt, long token) {
		return new LockLostException(
				"Lock %s, held since %s with token %d, was lost while it was held: others may hold it now, and what was done under it is in doubt"
					.formatted(id, acquiredAt, token),
				id, Duration.ZERO, null);
	}

	private static String text(Duration waited) {
		return waited.toMillis() + " ms";
	}

}
