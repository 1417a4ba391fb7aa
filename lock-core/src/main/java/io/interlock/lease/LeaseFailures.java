package io.interlock.lease;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;

import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions. */
final class LeaseFailures {

	private LeaseFailures() {
	}

	static Throwable of(LockId id, Throwable cause) {
		if (cause instanceof Error) {
			return cause;
		}
		return (cause instanceof RejectedExecutionException) ? closed(id)
				: new LockServiceUnavailableException(
						"Lock %s cannot be acquired: %s".formatted(id, String.valueOf(cause.getMessage())), id,
						Duration.ZERO, cause);
	}

	static LockServiceUnavailableException closed(LockId id) {
		return new LockServiceUnavailableException(
				"Lock %s cannot be acquired: this instance is shutting down".formatted(id), id, Duration.ZERO, null);
	}

	static LockServiceUnavailableException notVerified(LockId id, Duration timeout, @Nullable Throwable cause) {
		return new LockServiceUnavailableException(
				"Lock %s could not be verified: the store did not answer within %s".formatted(id, timeout), id,
				Duration.ZERO, cause);
	}

	static LockLostException lost(LockId id) {
		return new LockLostException("Lock %s was lost: others may hold it now".formatted(id), id, Duration.ZERO, null);
	}

	/** Return what a stage has failed with. */
	static Throwable causeOf(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** Return whether a store that fails like this is worth asking again. */
	static boolean isPassing(Throwable ex) {
		return ex instanceof LeaseStoreException failure && failure.isPassing();
	}

}
