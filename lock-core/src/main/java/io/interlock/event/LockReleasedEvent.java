package io.interlock.event;

import java.time.Duration;

import io.interlock.LockHandle;

/**
 * A hold has ended, also one that was {@link LockLostEvent lost} before.
 *
 * @param handle the hold, which is closed
 * @param held time from the grant
 * @since 0.1.0
 */
public record LockReleasedEvent(LockHandle handle, Duration held) implements HeldLockEvent {

	@Override
	public String toString() {
		return "Lock %s (%s) was released after %s, token %d".formatted(id(), mode(), this.held,
				this.handle.fencingToken());
	}

}
