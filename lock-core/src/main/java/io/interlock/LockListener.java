package io.interlock;

import java.time.Duration;

/**
 * Observes locks. Called for outermost acquisitions only, not for re-entrance. Callbacks
 * run on the thread that acquires or releases, {@link #onLost}, {@link #onOverdue},
 * {@link #onRevocationRequested}, and {@link #onReleased} after {@link #onKept}, on a
 * thread of the library; they should be brief. The answer to an asynchronous acquisition
 * comes on a thread of the library too, and its hold is
 * {@linkplain LockHandle#isDetached() detached}. A listener that throws is logged and
 * never breaks a lock.
 * <p>
 * A listener that blocks delays the thread that it is told on, without a bound:
 * {@link LockHandle#close()} for example. It delays no lock: the release is sent before
 * {@link #onUnconfirmed} and {@link #onReleased}, the time of a kept lock runs before
 * {@link #onKept}, and the limits of other holds go on.
 * <p>
 * The handle that a listener is shown observes a hold and does not take part in it: its
 * {@link LockHandle#close()} has no effect, {@link LockHandle#detach()} is refused, and
 * it is {@linkplain LockState#RELEASED released} when the hold ends. It is the same
 * handle for all callbacks about one hold.
 * <p>
 * {@code waited} is the time since the acquisition began, {@code held} the time from the
 * grant until the holder has ended its hold, without the time that the lock is
 * {@linkplain #onKept kept} afterwards.
 *
 * @since 0.1.0
 */
public interface LockListener {

	/**
	 * A thread begins to acquire. One of {@link #onAcquired}, {@link #onNotAcquired} and
	 * {@link #onFailure} follows with the same instance of the request; on the same
	 * thread, unless the acquisition is asynchronous.
	 */
	default void onWaiting(LockRequest request) {
	}

	/** A lock was acquired. */
	default void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
	}

	/** A lock was not acquired because others hold it. */
	default void onNotAcquired(LockRequest request, Duration waited) {
	}

	/**
	 * An acquisition failed for another reason than contention, which the caller is about
	 * to see.
	 */
	default void onFailure(LockRequest request, LockException failure) {
	}

	/**
	 * The holder has ended its hold before the {@link LockRequest#minHold() minimum time}
	 * of the lock is over. The lock stays taken; {@link #onReleased} follows when it is
	 * released, and does not if this instance stops before that and leaves the lock to
	 * the servers.
	 */
	default void onKept(LockHandle handle, Duration held) {
	}

	/** A hold has ended, also one that was lost before. */
	default void onReleased(LockHandle handle, Duration held) {
	}

	/**
	 * A lock was lost while it was held. {@link #onReleased} still follows, unless it was
	 * the late answer to the release that showed the loss.
	 */
	default void onLost(LockHandle handle) {
	}

	/**
	 * A hold has ended unconfirmed: the connection is suspended, or the servers have been
	 * silent for long. Told on the releasing thread; {@link #onReleased} follows. Whether
	 * the result of a body stands is up to its {@link LossPolicy}.
	 */
	default void onUnconfirmed(LockHandle handle) {
	}

	/**
	 * A lock is held for longer than the {@link LockRequest#maxHold() longest time} of
	 * the request that acquired it, or of one that has joined the hold. Told once a hold.
	 */
	default void onOverdue(LockHandle handle, Duration held) {
	}

	/**
	 * An operator asks for a lock to be given up, which stays held until its holder ends
	 * the hold. Told once for each time that it is asked for.
	 */
	default void onRevocationRequested(LockHandle handle, RevocationRequest request) {
	}

}
