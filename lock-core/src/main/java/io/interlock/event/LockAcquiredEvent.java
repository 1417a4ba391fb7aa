package io.interlock.event;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;

/**
 * A lock was acquired.
 *
 * @param request what was asked for
 * @param handle the hold; it belongs to the code that acquired it and is not to be closed
 * here
 * @param waited time since the acquisition began
 * @since 0.1.0
 */
public record LockAcquiredEvent(LockRequest request, LockHandle handle, Duration waited) implements HeldLockEvent {

	@Override
	public String toString() {
		return "Lock %s (%s) was acquired after %s, token %d".formatted(id(), mode(), this.waited,
				this.handle.fencingToken());
	}

}
