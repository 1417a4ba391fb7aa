package io.interlock;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A lock that is held. The hold ends with {@link #close()}, so a handle goes into a
 * try-with-resources statement. Every method may be called from any thread, but the
 * thread that acquired the lock joins its hold when it asks for the lock again: a handle
 * that goes to another thread is {@linkplain #detach() detached} first.
 *
 * @since 0.1.0
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return which lock is held.
	 * @return the id
	 */
	LockId id();

	/**
	 * Return how the lock is held. A shared request inside an exclusive hold takes part
	 * in that hold, so the mode is {@link LockMode#EXCLUSIVE} then.
	 * @return the mode
	 */
	LockMode mode();

	/**
	 * Return when the lock was acquired, by the wall clock of this machine.
	 * @return the instant
	 */
	Instant acquiredAt();

	/**
	 * Return a number that orders holders: it is never smaller than the token of any
	 * earlier exclusive holder of this lock. A resource that remembers the highest token
	 * it has seen and refuses smaller ones is safe from a holder that does not know yet
	 * that it lost the lock. Equal tokens are legal: re-entrance and retries share one.
	 * <p>
	 * It is the zxid that created the lock node (see the ZooKeeper Programmer's Guide,
	 * "Time in ZooKeeper"). Restoring an ensemble from a backup takes it back.
	 * @return the token
	 */
	long fencingToken();

	/**
	 * Return whether the lock was held by others when it was asked for, so that this
	 * holder had to wait for its turn. Never changes.
	 * @return whether there was contention; {@code false} if that is not known
	 */
	default boolean contended() {
		return false;
	}

	/**
	 * Return how often what was granted to this JVM had been handed from thread to thread
	 * before it came to this holder. Together with the token it tells holders apart.
	 * Never changes.
	 * @return the number; 0 for the holder that the grant was made to, and where grants
	 * are not handed over
	 */
	default int handoff() {
		return 0;
	}

	/**
	 * Return whether the lock is held for certain, without any I/O. The answer is
	 * {@code false} while the connection is suspended, and stays {@code false} once the
	 * lock is lost or this handle is closed. A {@code true} was right when the clock was
	 * read; a pause between this call and a write is caught only by the
	 * {@link #fencingToken() token}.
	 * @return whether the lock is known to be held
	 */
	boolean isValid();

	/**
	 * Return whether the lock is known to be lost for good, without any I/O. Neither this
	 * nor {@link #isValid()} is {@code true} while the connection is suspended.
	 * @return whether it is lost
	 */
	default boolean isLost() {
		return false;
	}

	/**
	 * Return what is known about the lock, without any I/O.
	 * @return the state; {@link LockState#RELEASED} once this handle is closed, unless
	 * the lock was lost before
	 */
	default LockState state() {
		if (isLost()) {
			return LockState.LOST;
		}
		return isValid() ? LockState.VALID : LockState.UNCONFIRMED;
	}

	/**
	 * Ask a quorum of the servers whether the lock is held at this instant. Costs a
	 * quorum write: meant for a commit, not for a loop.
	 * @throws LockLostException if the lock is lost, also if it was the news of that
	 * which interrupted the thread ({@link LossPolicy#INTERRUPT})
	 * @throws LockServiceUnavailableException if no answer came within the verify
	 * timeout, or the client of the servers is closed
	 * @throws LockInterruptedException if the thread is interrupted for another reason;
	 * its flag is set
	 * @throws IllegalStateException if this handle is closed
	 */
	void verify();

	/**
	 * Take this handle off the thread that acquired it, before it goes to another thread.
	 * Unless that thread has another handle of the same hold, it does not join the hold
	 * any more when it asks for the lock again, but waits for it like any other; the hold
	 * is neither in its {@code LockContext} nor part of the commits of its transactions,
	 * nor in the way of what it waits for, and its loss does not interrupt it. No effect
	 * on a handle that is closed or detached already.
	 * @return this handle
	 * @throws IllegalStateException if this handle was given to a callback, an annotated
	 * method or a listener, and is not the caller's to close
	 */
	default LockHandle detach() {
		return this;
	}

	/**
	 * Return whether this handle belongs to no thread, because its lock was acquired
	 * without one or it was {@linkplain #detach() detached}.
	 * @return whether it is detached
	 */
	default boolean isDetached() {
		return false;
	}

	/**
	 * Register an action that runs once if the lock is lost while it is held; at once, on
	 * the calling thread, if it is lost already. Otherwise it runs on a thread of the
	 * library. It does not run after {@link #close()}.
	 * @param action what to do, briefly
	 */
	void onLoss(Runnable action);

	/**
	 * Register an action that runs whenever the state of the lock changes between
	 * {@link LockState#VALID} and {@link LockState#UNCONFIRMED}, and once if it becomes
	 * {@link LockState#LOST}; at once, on the calling thread, if it is lost already.
	 * Otherwise it runs on a thread of the library. It does not run after
	 * {@link #close()}.
	 * @param action what to do with the new state, briefly
	 */
	default void onStateChange(Consumer<LockState> action) {
		onLoss(() -> action.accept(LockState.LOST));
	}

	/**
	 * Register an action that runs once if an operator asks for this lock to be given up
	 * while it is held; at once, on the calling thread, if that was asked for already.
	 * Otherwise it runs on a thread of the library. It does not run after
	 * {@link #close()}.
	 * <p>
	 * The lock stays held. Whether and when to end the hold is up to the holder: the
	 * action typically sets a flag that the work looks at where it can stop. Handles hear
	 * of requests if {@code interlock.admin.enabled} is set.
	 * @param action what to do, briefly
	 */
	default void onRevocationRequested(Consumer<RevocationRequest> action) {
	}

	/**
	 * Register an action that runs once, on a thread of the library, if the result of the
	 * work under this lock is cancelled, or was cancelled already: the future of
	 * {@code LockOperations.executeAsync}, or of an annotated method without a thread. It
	 * does not run after the end of the work.
	 * <p>
	 * The lock stays held until the work has ended: the action typically sets a flag that
	 * the work looks at where it can stop, or cancels a request whose end is the end of
	 * the work. Locks that are acquired in any other way have no such result.
	 * @param action what to do, briefly
	 */
	default void onCancellation(Runnable action) {
	}

	/**
	 * End the hold. May be called repeatedly and by any thread; calls after the first
	 * have no effect. A close by another thread than the one that acquired, without
	 * {@link #detach()} before, is warned of once for each name of a lock. Actions and
	 * listeners for a loss run on another thread, and are waited for up to a second.
	 * Returns within the release timeout, which is zero by default: what could not be
	 * finished by then goes on in the background. After that the {@link LockListener
	 * listeners} of the end are told, on the calling thread. Throws nothing for
	 * infrastructure failures and keeps the interrupt flag of the caller.
	 */
	@Override
	void close();

	/**
	 * Return this handle, or the grant beneath it, as another type. Code that knows a
	 * provider finds here what only that provider can tell about a hold.
	 * @param type the type to look for
	 * @param <T> the type to look for
	 * @return the handle or grant of that type, or empty if there is none
	 * @throws IllegalStateException if the hold has ended
	 */
	default <T> Optional<T> unwrap(Class<T> type) {
		return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
	}

}
