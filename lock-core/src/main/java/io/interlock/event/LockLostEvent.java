package io.interlock.event;

import io.interlock.LockHandle;

/**
 * A lock was lost while it was held: others may hold it from now on although the code
 * that it protects here has not ended. A {@link LockReleasedEvent} still follows.
 *
 * @param handle the hold; it stays invalid
 * @since 0.1.0
 */
public record LockLostEvent(LockHandle handle) implements HeldLockEvent {

	@Override
	public String toString() {
		return "Lock %s (%s) was lost while it was held, held since %s, token %d".formatted(id(), mode(),
				this.handle.acquiredAt(), this.handle.fencingToken());
	}

}
