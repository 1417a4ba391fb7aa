package io.interlock.event;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;

/**
 * Something that happened to a lock that this instance holds, or held until now.
 *
 * @since 0.1.0
 */
public sealed interface HeldLockEvent extends LockEvent permits LockAcquiredEvent, LockReleasedEvent, LockLostEvent,
		LockUnconfirmedEvent, LockOverdueEvent, LockRevocationRequestedEvent {

	/**
	 * {@return the hold that it is about, which may have ended by now} Closing this
	 * handle does not end the hold.
	 */
	LockHandle handle();

	@Override
	default LockId id() {
		return handle().id();
	}

	@Override
	default LockMode mode() {
		return handle().mode();
	}

}
