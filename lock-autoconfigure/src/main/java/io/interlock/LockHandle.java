package io.interlock;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A lock that is held. It belongs to whoever has the handle and not to a thread: every
 * method may be called from any thread. The hold ends with {@link #close()}, so a handle
 * goes into a try-with-resources statement.
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
	 * Return whether somebody else held the lock when it was asked for, so that this
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
	 * Ask a quorum of the servers whether the lock is held at this instant. Costs a
	 * quorum write: meant for a commit, not for a loop.
	 * @throws LockLostException if the lock is lost
	 * @throws LockServiceUnavailableException if no answer came within the verify timeout
	 * @throws IllegalStateException if this handle is closed
	 */
	void verify();

	/**
	 * Register an action that runs once if the lock is lost while it is held; at once, on
	 * the calling thread, if it is lost already. Otherwise it runs on a thread of the
	 * library. It does not run after {@link #close()}.
	 * @param action what to do, briefly
	 */
	void onLoss(Runnable action);

	/**
	 * Register an action that runs once if an operator asks for this lock to be given up
	 * while it is held; at once, on the calling thread, if that was asked for already.
	 * Otherwise it runs on a thread of the library. It does not run after
	 * {@link #close()}.
	 * <p>
	 * The lock stays held. Whether and when to end the hold is up to the holder: the
	 * action typically sets a flag that the work looks at where it can stop. The handles
	 * that the application gets hear of requests if {@code interlock.admin.enabled} is
	 * set; those of a provider itself never do.
	 * @param action what to do, briefly
	 */
	default void onRevocationRequested(Consumer<RevocationRequest> action) {
	}

	/**
	 * End the hold. May be called repeatedly and by any thread; calls after the first
	 * have no effect. Returns within the release timeout: what could not be finished by
	 * then goes on in the background. Throws nothing for infrastructure failures and
	 * keeps the interrupt flag of the caller.
	 */
	@Override
	void close();

	/**
	 * Begin to end the hold and return without waiting for the servers: for callers that
	 * must not block. Otherwise the same as {@link #close()}.
	 */
	default void closeAsync() {
		close();
	}

	/**
	 * Return this handle, or the one beneath it, as another type. Between the provider
	 * and the user a handle is wrapped; code that knows a provider finds here what only
	 * that provider can tell about a hold. A handle that wraps another one asks that one.
	 * @param type the type to look for
	 * @param <T> the type to look for
	 * @return the handle of that type, or empty if there is none
	 */
	default <T> Optional<T> unwrap(Class<T> type) {
		return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
	}

}
