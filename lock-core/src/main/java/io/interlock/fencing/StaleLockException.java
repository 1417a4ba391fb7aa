package io.interlock.fencing;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockId;

/**
 * A write was refused by the resource that it was meant for, because a later holder of
 * the lock has written there. Nothing was written.
 *
 * @since 0.1.0
 */
public class StaleLockException extends LockException {

	private final long fencingToken;

	/**
	 * Create an exception.
	 * @param message what happened and what to do about it
	 * @param lockId which lock it is about
	 * @param fencingToken the token that was refused
	 */
	public StaleLockException(String message, LockId lockId, long fencingToken) {
		super(message, lockId, Duration.ZERO, null);
		this.fencingToken = fencingToken;
	}

	/**
	 * {@return the token that was refused}
	 */
	public final long fencingToken() {
		return this.fencingToken;
	}

}
