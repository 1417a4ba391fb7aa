package io.interlock.event;

import io.interlock.LockId;
import io.interlock.LockMode;

/**
 * Something that happened to a lock of this instance, published to the application
 * context: take it with an {@code @EventListener} method, either all events or one of the
 * types below. Published for outermost acquisitions only, not for re-entrance.
 * <p>
 * A listener runs on the thread that published: the one that acquires or releases, or a
 * thread of the library for {@link LockLostEvent}, {@link LockOverdueEvent} and
 * {@link LockRevocationRequestedEvent}. It should be brief; one that throws is logged and
 * never breaks a lock.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent permits HeldLockEvent, LockNotAcquiredEvent, LockFailedEvent {

	/**
	 * {@return which lock it is about}
	 */
	LockId id();

	/**
	 * {@return how the lock is held or was asked for}
	 */
	LockMode mode();

}
