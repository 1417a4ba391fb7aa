package io.interlock.template;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockUpgradeException;
import io.interlock.provider.LockAttempt;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions: each message says what happened and what to do. */
final class Failures {

	private Failures() {
	}

	static LockNotAcquiredException notAcquired(LockId id, Duration waited, String others, @Nullable String holder) {
		return new LockNotAcquiredException(
				"Lock %s was not acquired within %s: %s".formatted(id, text(waited), others), id, waited, holder);
	}

	static LockServiceUnavailableException unavailable(LockId id, Duration waited, LockAttempt.Phase phase,
			@Nullable Throwable obstacle) {
		if (phase == LockAttempt.Phase.CONNECTING && obstacle != null) {
			return new LockServiceUnavailableException(
					"Lock %s could not be acquired within %s: %s. Whether the lock is held is not known".formatted(id,
							text(waited), obstacle.getMessage()),
					id, waited, obstacle);
		}
		String doing = switch (phase) {
			case CONNECTING -> "there is no connection to it";
			case CREATING -> "the request was not answered";
			case QUEUED -> "the answers have stopped";
		};
		return new LockServiceUnavailableException(
				"The lock service did not answer for lock %s within %s: %s. Whether the lock is held is not known"
					.formatted(id, text(waited), doing),
				id, waited, obstacle);
	}

	static LockServiceUnavailableException undecided(LockId id, Duration waited) {
		return new LockServiceUnavailableException(
				"The lock provider did not end the attempt for lock %s that was abandoned after %s. Whether the lock is held is not known; a later grant is released"
					.formatted(id, text(waited)),
				id, waited, null);
	}

	static LockServiceUnavailableException stopping(LockId id, Duration waited) {
		return new LockServiceUnavailableException(
				"Lock %s cannot be acquired: this instance is shutting down".formatted(id), id, waited, null);
	}

	static LockException failed(LockId id, Duration waited, Throwable cause) {
		if (cause instanceof LockServiceUnavailableException unavailable) {
			return new LockServiceUnavailableException(String.valueOf(unavailable.getMessage()), id, waited,
					unavailable);
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

	static LockInterruptedException givenUp(LockId id, Duration waited) {
		return new LockInterruptedException(
				"The future for lock %s was cancelled, or completed by its caller, after it had waited %s".formatted(id,
						text(waited)),
				id, waited, null);
	}

	static LockUpgradeException upgrade(LockRequest request) {
		return new LockUpgradeException(
				("This thread holds lock %s shared and requests it exclusively, so it would wait for itself forever. "
						+ "Request it exclusively from the start, or release the shared hold first")
					.formatted(request.id()),
				request.id(), Duration.ZERO, null);
	}

	static LockLostException lost(LockHandle lock) {
		return new LockLostException(
				"Lock %s, held since %s with token %d, was lost while it was held: others may hold it now, and what was done under it is in doubt"
					.formatted(lock.id(), lock.acquiredAt(), lock.fencingToken()),
				lock.id(), Duration.ZERO, null);
	}

	static LockLostException inDoubt(LockHandle lock, Throwable reason) {
		return new LockLostException(
				("It is not known whether lock %s, held since %s with token %d, was held until its body ended: the "
						+ "servers were silent for most of the session timeout and did not answer now. What was "
						+ "done under it is in doubt")
					.formatted(lock.id(), lock.acquiredAt(), lock.fencingToken()),
				lock.id(), Duration.ZERO, reason);
	}

	private static String text(Duration waited) {
		return waited.toMillis() + " ms";
	}

}
