package io.interlock;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A held lock. The hold ends with {@link #close()}, so use try-with-resources. Any thread
 * may call every method. The thread that acquired the lock joins its hold when it
 * acquires the lock again, so {@linkplain #detach() detach} a handle before you pass it
 * to another thread.
 *
 * @since 0.1.0
 */
public interface LockHandle extends AutoCloseable {

	/** Return the lock. */
	LockId id();

	/**
	 * {@return the mode of the hold} A shared request inside an exclusive hold joins it,
	 * so its mode is {@link LockMode#EXCLUSIVE}.
	 */
	LockMode mode();

	/** Return when the lock was acquired, by the wall clock of this machine. */
	Instant acquiredAt();

	/**
	 * Return a number that orders holders: never smaller than the token of any earlier
	 * exclusive holder of this lock. A resource that refuses tokens smaller than the
	 * highest one so far is safe from holders that have not noticed their loss yet. Equal
	 * tokens are legal, because re-entrance and retries share one.
	 * <p>
	 * On ZooKeeper, the token is the zxid that created the lock node. It falls when an
	 * ensemble is restored from a backup.
	 * @return the token
	 */
	long fencingToken();

	/**
	 * {@return whether this holder had to wait for other holders; {@code false} if that
	 * is not known} Never changes.
	 */
	default boolean contended() {
		return false;
	}

	/**
	 * {@return the number of hand-offs between threads of this JVM since the grant; 0 for
	 * the first holder, and where grants are not handed over} Together with the token it
	 * tells holders apart. Never changes.
	 */
	default int handoff() {
		return 0;
	}

	/**
	 * {@return whether the lock is held for certain, without any I/O} {@code false} while
	 * the connection is suspended, and for good once the lock is lost or this handle is
	 * closed. {@code true} was correct when the clock was read. Only the
	 * {@link #fencingToken() token} protects against a pause between this call and a
	 * write.
	 */
	boolean isValid();

	/**
	 * {@return whether the lock is known to be lost for good, without any I/O} Neither
	 * this nor {@link #isValid()} is {@code true} while the connection is suspended.
	 */
	default boolean isLost() {
		return false;
	}

	/**
	 * {@return the state of the lock, without any I/O; {@link LockState#RELEASED} once
	 * this handle is closed, unless the lock was lost before}
	 */
	default LockState state() {
		if (isLost()) {
			return LockState.LOST;
		}
		return isValid() ? LockState.VALID : LockState.UNCONFIRMED;
	}

	/**
	 * Ask a quorum of the servers whether the lock is held now. Costs a quorum write: use
	 * it before a commit, not in a loop.
	 * @throws LockLostException if the lock is lost, even if that loss interrupted the
	 * thread ({@link LossPolicy#INTERRUPT})
	 * @throws LockServiceUnavailableException if the servers do not answer within the
	 * verify timeout, or their client is closed
	 * @throws LockInterruptedException if the thread is interrupted for another reason;
	 * its flag is set
	 * @throws IllegalStateException if this handle is closed
	 */
	void verify();

	/**
	 * Separate this handle from the thread that acquired it. Unless that thread has
	 * another handle of the hold, it no longer joins the hold, but waits for the lock
	 * like any other thread. The hold leaves the {@code LockContext} of the thread, the
	 * commits of its transactions and the search for circular waits, and its loss does
	 * not interrupt the thread. No effect on a handle that is closed or detached.
	 * @return this handle
	 * @throws IllegalStateException if this handle belongs to a callback, an annotated
	 * method or a listener, so the caller must not close it
	 */
	default LockHandle detach() {
		return this;
	}

	/**
	 * {@return whether this handle belongs to no thread, because its lock was acquired
	 * without one or it was {@linkplain #detach() detached}}
	 */
	default boolean isDetached() {
		return false;
	}

	/**
	 * Register an action that runs once if the lock is lost: at once on the calling
	 * thread if it is lost already, otherwise on a thread of the library. It does not run
	 * after {@link #close()}.
	 * @param action the action, which should be brief
	 */
	void onLoss(Runnable action);

	/**
	 * Register an action that runs whenever the state of the lock changes between
	 * {@link LockState#VALID} and {@link LockState#UNCONFIRMED}, and once if it becomes
	 * {@link LockState#LOST}. Runs on the same threads as {@link #onLoss}.
	 * @param action gets the new state and should be brief
	 */
	default void onStateChange(Consumer<LockState> action) {
		onLoss(() -> action.accept(LockState.LOST));
	}

	/**
	 * Register an action that runs once if an operator asks the holder to give up this
	 * lock. Runs on the same threads as {@link #onLoss}. Needs
	 * {@code interlock.admin.enabled}.
	 * <p>
	 * The lock stays held, and the holder decides when to end the hold: the action
	 * typically sets a flag that the work checks where it can stop.
	 * @param action the action, which should be brief
	 */
	default void onRevocationRequested(Consumer<RevocationRequest> action) {
	}

	/**
	 * Register an action that runs once, on a thread of the library, if the result of the
	 * work is or was cancelled: the future of {@code LockOperations.executeAsync}, or of
	 * an annotated method without a thread. It does not run after the end of the work.
	 * <p>
	 * The lock stays held until the work has ended: the action typically sets a flag that
	 * the work checks where it can stop, or cancels the request that the work waits for.
	 * @param action the action, which should be brief
	 */
	default void onCancellation(Runnable action) {
	}

	/**
	 * End the hold. Any thread may close, and only the first call has an effect. A thread
	 * that did not acquire the lock should {@link #detach()} the handle first, or causes
	 * one warning for each lock name. Waits at most a second for actions and listeners
	 * for a loss, which run on another thread. Then returns within the release timeout,
	 * zero by default, and the release goes on in the background; {@link LockListener
	 * listeners} of the end run on the calling thread. Infrastructure failures throw
	 * nothing, and the interrupt flag of the caller is kept.
	 */
	@Override
	void close();

	/**
	 * Return this handle, or the grant beneath it, as a type of one provider; empty if
	 * there is none of that type.
	 * @throws IllegalStateException if the hold has ended
	 */
	default <T> Optional<T> unwrap(Class<T> type) {
		return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
	}

}
