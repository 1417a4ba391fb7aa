package io.interlock.event;

import java.time.Duration;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;

/**
 * A lock was not acquired because others hold it.
 *
 * @param request what was asked for
 * @param waited time since the acquisition began
 * @since 0.1.0
 */
public record LockNotAcquiredEvent(LockRequest request, Duration waited) implements LockEvent {

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
		return "Lock %s (%s) was not acquired, others held it for %s".formatted(id(), mode(), this.waited);
	}

}
