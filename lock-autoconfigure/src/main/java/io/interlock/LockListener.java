package io.interlock;

import java.time.Duration;

/**
 * Observes locks. Called for outermost acquisitions only, not for re-entrance. Callbacks
 * run on the thread that acquires or releases, {@link #onLost}, {@link #onOverdue} and
 * {@link #onRevocationRequested} on a thread of the library; they should be brief. A
 * listener that throws is logged and never breaks a lock.
 *
 * @since 0.1.0
 */
public interface LockListener {

	/**
	 * A thread begins to acquire. One of {@link #onAcquired}, {@link #onNotAcquired} and
	 * {@link #onFailure} follows on the same thread.
	 * @param request what is asked for
	 */
	default void onWaiting(LockRequest request) {
	}

	/**
	 * A lock was acquired.
	 * @param request what was asked for
	 * @param handle the hold
	 * @param waited time from the begin of the acquisition
	 */
	default void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
	}

	/**
	 * A lock was not acquired because others hold it.
	 * @param request what was asked for
	 * @param waited time from the begin of the acquisition
	 */
	default void onNotAcquired(LockRequest request, Duration waited) {
	}

	/**
	 * An acquisition failed for another reason than contention.
	 * @param request what was asked for
	 * @param failure the reason, which the caller is about to see
	 */
	default void onFailure(LockRequest request, LockException failure) {
	}

	/**
	 * A hold has ended, also one that was lost before.
	 * @param handle the hold
	 * @param held time from the grant
	 */
	default void onReleased(LockHandle handle, Duration held) {
	}

	/**
	 * A lock was lost while it was held. {@link #onReleased} still follows.
	 * @param handle the hold
	 */
	default void onLost(LockHandle handle) {
	}

	/**
	 * A hold is about to end while the connection is suspended, so that it is not known
	 * whether it stood to the end. Told on the releasing thread; {@link #onReleased}
	 * follows, and the result of the body stands.
	 * @param handle the hold
	 */
	default void onUnconfirmed(LockHandle handle) {
	}

	/**
	 * A lock is held for longer than its {@link LockRequest#maxHold() longest time}. Told
	 * once a hold.
	 * @param handle the hold
	 * @param held time from the grant
	 */
	default void onOverdue(LockHandle handle, Duration held) {
	}

	/**
	 * An operator asks for a lock to be given up, which stays held until its holder ends
	 * the hold. Told once for each time that it is asked for.
	 * @param handle the hold
	 * @param request who asks
	 */
	default void onRevocationRequested(LockHandle handle, RevocationRequest request) {
	}

}
