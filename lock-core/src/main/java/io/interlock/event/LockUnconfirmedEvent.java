package io.interlock.event;

import io.interlock.LockHandle;

/**
 * A hold ends unconfirmed: the connection is suspended, or the servers have been silent
 * for long. A {@link LockReleasedEvent} follows.
 *
 * @param handle the hold
 * @since 0.1.0
 */
public record LockUnconfirmedEvent(LockHandle handle) implements HeldLockEvent {

	@Override
	public String toString() {
		return "Lock %s (%s) is released without confirmation, held since %s, token %d".formatted(id(), mode(),
				this.handle.acquiredAt(), this.handle.fencingToken());
	}

}
