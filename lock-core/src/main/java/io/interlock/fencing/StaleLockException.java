package io.interlock.fencing;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockId;

/**
 * A resource refused a write, because a later holder of the lock has written there.
 *
 * @since 0.1.0
 */
public class StaleLockException extends LockException {

	private final long fencingToken;

	/** Create an exception: what happened, what to do about it, and the refused token. */
	public StaleLockException(String message, LockId lockId, long fencingToken) {
		super(message, lockId, Duration.ZERO, null);
		this.fencingToken = fencingToken;
	}

	/** Return the refused token. */
	public final long fencingToken() {
		return this.fencingToken;
	}

}
