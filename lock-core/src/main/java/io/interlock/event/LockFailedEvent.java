package io.interlock.event;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;

/**
 * An acquisition failed for another reason than contention.
 *
 * @param request what was asked for
 * @param failure the reason, which the caller is about to see
 * @since 0.1.0
 */
public record LockFailedEvent(LockRequest request, LockException failure) implements LockEvent {

	@Override
	public LockId id() {
		return this.request.id();
	}

	@Override
	public LockMode mode() {
		return this.request.mode();
	}

	@Override
	public String toString() {
		return "Lock %s (%s) could not be acquired: %s".formatted(id(), mode(), this.failure);
	}

}
