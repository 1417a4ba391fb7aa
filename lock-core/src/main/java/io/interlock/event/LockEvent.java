package io.interlock.event;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;

/**
 * An event about a lock of this instance, published to the application context. An
 * {@code @EventListener} method takes all events or one of the nested types. Re-entrant
 * acquisitions publish none.
 * <p>
 * Listeners run on the publishing thread: the thread that acquires or releases the lock,
 * or a thread of the library for {@link Lost}, {@link Overdue} and
 * {@link RevocationRequested}. Keep them brief. Exceptions of a listener are logged and
 * never break a lock.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent {

	/** Return the lock. */
	LockId id();

	/** Return the mode of the hold or of the request. */
	LockMode mode();

	/** An event about a hold of this instance. */
	sealed interface Held extends LockEvent {

		/**
		 * {@return the hold, which may have ended by now} Closing this handle does not
		 * end the hold.
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

	/** An event about an acquisition that ended without the lock. */
	sealed interface Refused extends LockEvent {

		/** Return the request. */
		LockRequest request();

		@Override
		default LockId id() {
			return request().id();
		}

		@Override
		default LockMode mode() {
			return request().mode();
		}

	}

	/**
	 * A lock was acquired.
	 *
	 * @param request the request
	 * @param handle the hold, to be closed only by the code that acquired it
	 * @param waited time since the acquisition began
	 */
	record Acquired(LockRequest request, LockHandle handle, Duration waited) implements Held {

		@Override
		public String toString() {
			return "Lock %s (%s) was acquired after %s, token %d".formatted(id(), mode(), this.waited,
					this.handle.fencingToken());
		}

	}

	/**
	 * A lock was not acquired because others hold it.
	 *
	 * @param request the request
	 * @param waited time since the acquisition began
	 */
	record NotAcquired(LockRequest request, Duration waited) implements Refused {

		@Override
		public String toString() {
			return "Lock %s (%s) was not acquired, others held it for %s".formatted(id(), mode(), this.waited);
		}

	}

	/**
	 * An acquisition failed for another reason than contention.
	 *
	 * @param request the request
	 * @param failure the exception of the caller
	 */
	record Failed(LockRequest request, LockException failure) implements Refused {

		@Override
		public String toString() {
			return "Lock %s (%s) could not be acquired: %s".formatted(id(), mode(), this.failure);
		}

	}

	/**
	 * A hold has ended, perhaps after it was {@link Lost lost}.
	 *
	 * @param handle the hold, which is closed
	 * @param held time from the grant
	 */
	record Released(LockHandle handle, Duration held) implements Held {

		@Override
		public String toString() {
			return "Lock %s (%s) was released after %s, token %d".formatted(id(), mode(), this.held,
					this.handle.fencingToken());
		}

	}

	/**
	 * A lock was lost while it was held: others may hold it from now on, although the
	 * protected code here has not ended. {@link Released} still follows.
	 *
	 * @param handle the hold, which stays invalid
	 */
	record Lost(LockHandle handle) implements Held {

		@Override
		public String toString() {
			return "Lock %s (%s) was lost while it was held, held since %s, token %d".formatted(id(), mode(),
					this.handle.acquiredAt(), this.handle.fencingToken());
		}

	}

	/**
	 * A hold ends unconfirmed: the connection is suspended, or the servers have been
	 * silent for long. {@link Released} follows.
	 */
	record Unconfirmed(LockHandle handle) implements Held {

		@Override
		public String toString() {
			return "Lock %s (%s) is released without confirmation, held since %s, token %d".formatted(id(), mode(),
					this.handle.acquiredAt(), this.handle.fencingToken());
		}

	}

	/**
	 * A hold exceeds its {@link LockRequest#maxHold() longest time}. Published once for
	 * each hold; the lock is not released.
	 *
	 * @param handle the hold
	 * @param held time from the grant
	 */
	record Overdue(LockHandle handle, Duration held) implements Held {

		@Override
		public String toString() {
			return "Lock %s (%s) is held for %s, longer than its maximum time, held since %s, token %d".formatted(id(),
					mode(), this.held, this.handle.acquiredAt(), this.handle.fencingToken());
		}

	}

	/**
	 * An operator asks the holder to give up a lock. The lock stays held until the holder
	 * releases it.
	 */
	record RevocationRequested(LockHandle handle, RevocationRequest request) implements Held {

		@Override
		public String toString() {
			return "%s asks to give up lock %s (%s), held since %s, token %d".formatted(this.request.requestedBy(),
					id(), mode(), this.handle.acquiredAt(), this.handle.fencingToken());
		}

	}

}
