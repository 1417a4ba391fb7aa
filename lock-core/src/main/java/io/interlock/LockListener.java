package io.interlock;

import java.time.Duration;

/**
 * Observes locks. Re-entrant acquisitions are not reported. Callbacks run on the thread
 * that acquires or releases. {@link #onLost}, {@link #onOverdue},
 * {@link #onRevocationRequested}, {@link #onReleased} after {@link #onKept}, and the
 * result of an asynchronous acquisition, whose hold is
 * {@linkplain LockHandle#isDetached() detached}, are reported on a thread of the library.
 * Exceptions of a listener are logged and never break a lock.
 * <p>
 * Keep callbacks brief: a listener that blocks delays its thread without limit, for
 * example in {@link LockHandle#close()}. It delays no lock: the release is sent before
 * {@link #onUnconfirmed} and {@link #onReleased}, the time of a kept lock runs before
 * {@link #onKept}, and the limits of other holds go on.
 * <p>
 * All callbacks about one hold get the same handle, which only observes the hold:
 * {@link LockHandle#close()} has no effect, {@link LockHandle#detach()} is refused, and
 * it is {@linkplain LockState#RELEASED released} when the hold ends.
 * <p>
 * {@code waited} is the time since the acquisition began, {@code held} the time from the
 * grant to the end of the hold, without the time that the lock is {@linkplain #onKept
 * kept} afterwards.
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

	/** A lock was not acquired because others held it. */
	default void onNotAcquired(LockRequest request, Duration waited) {
	}

	/** An acquisition failed for another reason than contention. */
	default void onFailure(LockRequest request, LockException failure) {
	}

	/**
	 * A hold has ended before its {@link LockRequest#minHold() minimum time}, and the
	 * lock stays taken. {@link #onReleased} follows when the lock is released, unless
	 * this instance stops before that and leaves the lock to the servers.
	 */
	default void onKept(LockHandle handle, Duration held) {
	}

	/** A hold has ended, perhaps after a loss. */
	default void onReleased(LockHandle handle, Duration held) {
	}

	/**
	 * A lock was lost while it was held. {@link #onReleased} still follows, unless the
	 * late answer to the release showed the loss.
	 */
	default void onLost(LockHandle handle) {
	}

	/**
	 * A hold has ended unconfirmed: the connection is suspended, or the servers have not
	 * answered for long. Called on the releasing thread; {@link #onReleased} follows. The
	 * {@link LossPolicy} decides about the result of the body.
	 */
	default void onUnconfirmed(LockHandle handle) {
	}

	/**
	 * A hold exceeds the {@link LockRequest#maxHold() maximum time} of its request, or of
	 * a request that joined it. Called once for each hold.
	 */
	default void onOverdue(LockHandle handle, Duration held) {
	}

	/**
	 * A transaction has reached the fence of this lock. Called on its thread.
	 * @param handle the lock
	 * @param passed {@code false} if the transaction was refused: a later holder has
	 * already run one, or the transaction of an earlier holder is still open
	 */
	default void onFencedTransaction(LockHandle handle, boolean passed) {
	}

	/** An operator asks the holder to give up a lock. Called once for each request. */
	default void onRevocationRequested(LockHandle handle, RevocationRequest request) {
	}

}
