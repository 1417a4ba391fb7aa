package io.interlock.event;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;

/**
 * A lock was lost while it was held: somebody else may hold it from now on although the
 * code that it protects here has not ended. A {@link LockReleasedEvent} still follows.
 *
 * @param handle the hold; it stays invalid
 * @since 0.1.0
 */
public record LockLostEvent(LockHandle handle) implements LockEvent {

	@Override
	public LockId id() {
		return this.handle.id();
	}

	@Override
	public LockMode mode() {
		return this.handle.mode();
	}

	@Override
	public String toString() {
		return "Lock %s (%s) was lost while it was held, held since %s, token %d".formatted(id(), mode(),
				this.handle.acquiredAt(), this.handle.fencingToken());
	}

}
