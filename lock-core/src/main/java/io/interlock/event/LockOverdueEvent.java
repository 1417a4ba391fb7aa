package io.interlock.event;

import java.time.Duration;

import io.interlock.LockHandle;

/**
 * A lock is held for longer than its {@link io.interlock.LockRequest#maxHold() longest
 * time}. Published once a hold; the lock is not released.
 *
 * @param handle the hold
 * @param held time from the grant
 * @since 0.1.0
 */
public record LockOverdueEvent(LockHandle handle, Duration held) implements HeldLockEvent {

	@Override
	public String toString() {
		return "Lock %s (%s) is held for %s, longer than its longest time, held since %s, token %d".formatted(id(),
				mode(), this.held, this.handle.acquiredAt(), this.handle.fencingToken());
	}

}
