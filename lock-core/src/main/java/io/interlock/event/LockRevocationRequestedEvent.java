package io.interlock.event;

import io.interlock.LockHandle;
import io.interlock.RevocationRequest;

/**
 * An operator asks for a lock to be given up. The lock stays held until its holder ends
 * the hold.
 *
 * @param handle the hold
 * @param request the request
 * @since 0.1.0
 */
public record LockRevocationRequestedEvent(LockHandle handle, RevocationRequest request) implements HeldLockEvent {

	@Override
	public String toString() {
		return "%s asks for lock %s (%s) to be given up, held since %s, token %d".formatted(this.request.requestedBy(),
				id(), mode(), this.handle.acquiredAt(), this.handle.fencingToken());
	}

}
