package io.interlock.event;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;

/**
 * A hold has ended, also one that was {@link LockLostEvent lost} before.
 *
 * @param handle the hold, which is closed
 * @param held time from the grant
 * @since 0.1.0
 */
public record LockReleasedEvent(LockHandle handle, Duration held) implements LockEvent {

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
		return "Lock %s (%s) was released after %s, token %d".formatted(id(), mode(), this.held,
				this.handle.fencingToken());
	}

}
