package io.interlock.template;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Acquires holds and tells the listeners how it went: each {@code onWaiting} is followed
 * by exactly one answer.
 */
final class HoldAcquirer {

	private final LockProvider provider;

	private final LockSettings settings;

	private final HeldLocks heldLocks;

	private final LockListeners listeners;

	HoldAcquirer(LockProvider provider, LockSettings settings, HeldLocks heldLocks, LockListeners listeners) {
		this.provider = provider;
		this.settings = settings;
		this.heldLocks = heldLocks;
		this.listeners = listeners;
	}

	/**
	 * Acquire a hold of its own.
	 * @param original what is asked for
	 * @return the hold, which counts its caller; or {@code null} if others hold the lock
	 * @throws LockException if it cannot be had for another reason
	 */
	@Nullable Hold acquire(LockRequest original) {
		LockRequest request = original.withWaitTime(waitTime(original));
		BoundedAcquisition acquisition = new BoundedAcquisition(request, this.settings.tryTimeout(), this.heldLocks);
		LockHandle grant = await(acquisition, request);
		if (grant == null) {
			this.listeners.onNotAcquired(request, acquisition.waited());
			return null;
		}
		Hold hold = new Hold(request, grant, this.heldLocks, this.listeners);
		try {
			hold.begin(acquisition.waited());
			hold.throwIfLost();
			return hold;
		}
		catch (RuntimeException | Error ex) {
			hold.leave(false);
			throw ex;
		}
	}

	private @Nullable LockHandle await(BoundedAcquisition acquisition, LockRequest request) {
		Waiting waiting = this.heldLocks.waiting(request);
		this.listeners.onWaiting(request);
		try {
			this.heldLocks.checkOrder(waiting);
			return acquisition.await(this.provider);
		}
		catch (LockNotAcquiredException ex) {
			this.listeners.onNotAcquired(request, acquisition.waited());
			throw ex;
		}
		catch (LockException ex) {
			this.listeners.onFailure(request, ex);
			throw ex;
		}
		finally {
			this.heldLocks.remove(waiting);
		}
	}

	private Duration waitTime(LockRequest request) {
		Duration override = this.settings.waitTimes().get(request.id().name());
		if (override != null) {
			return override;
		}
		Duration waitTime = request.waitTime();
		return (waitTime != null) ? waitTime : this.settings.defaultWaitTime();
	}

}
