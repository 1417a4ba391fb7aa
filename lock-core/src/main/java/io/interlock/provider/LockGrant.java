package io.interlock.provider;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;

/**
 * What a {@link LockProvider} has granted. A grant has one owner, which registers the one
 * listener and releases the grant; users work with the {@link LockHandle handles} that
 * the template makes of it. Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockGrant {

	/** Return the request that it answers: which lock is held, and in which mode. */
	LockRequest request();

	/** Return the number that orders holders, see {@link LockHandle#fencingToken()}. */
	long fencingToken();

	/**
	 * {@return whether others are known to have held the lock when it was asked for}
	 * Never changes.
	 */
	default boolean contended() {
		return false;
	}

	/**
	 * {@return the number of hand-offs between threads before this owner} Never changes.
	 */
	default int handoff() {
		return 0;
	}

	/**
	 * {@return what is known about the lock, without any I/O} It stays
	 * {@link LockState#LOST} once the lock is lost, and {@link LockState#RELEASED} once
	 * {@link #release()} was called before that.
	 */
	LockState state();

	/**
	 * {@return whether the lock is held at this instant for certain, whether or not the
	 * service can be reached, without any I/O} Unlike {@link LockState#VALID} it says
	 * nothing about the next instant, so it is for work that has just ended.
	 */
	default boolean isCovered() {
		return state() == LockState.VALID;
	}

	/**
	 * Ask a quorum of the servers whether the lock is held at this instant.
	 * @throws LockLostException if the lock is lost
	 * @throws LockServiceUnavailableException if no answer came within the verify timeout
	 * @throws LockInterruptedException if the thread is interrupted; its flag is set
	 * @throws IllegalStateException if the grant was released
	 */
	void verify();

	/**
	 * Ask whether this lock and others are held at this instant, in one request where the
	 * provider can; by default, one after the other. What is thrown is what
	 * {@link #verify()} throws, and names the lock that it is about.
	 * @param others further grants of the same provider
	 */
	default void verifyWith(List<? extends LockGrant> others) {
		verify();
		others.forEach(LockGrant::verify);
	}

	/**
	 * Register the one listener. It is called when the state changes between
	 * {@link LockState#VALID} and {@link LockState#UNCONFIRMED}, and once with
	 * {@link LockState#LOST}; at once, on the calling thread, if the state is one of the
	 * latter two already. Otherwise it runs on a thread of the provider that may block,
	 * and never under a lock. It is not called after {@link #release()}.
	 * @param listener the listener
	 */
	void onStateChange(Consumer<LockState> listener);

	/**
	 * Register an action that runs once if another contender stands in the queue behind
	 * this grant, or comes to stand there; at once, on the calling thread, if the
	 * provider cannot tell, as by default. Otherwise it runs on a thread of the provider,
	 * never under a lock, and not after {@link #release()}. Registering may cost a
	 * request, which is not waited for.
	 * @param action what to do; it must not block
	 */
	default void onContention(Runnable action) {
		action.run();
	}

	/**
	 * Let the lock stay taken for a while although its holder has ended, for all
	 * instances and for the owner of this grant. Called once at most, and only if the
	 * request has a {@linkplain LockRequest#minHold() minimum hold time}.
	 * {@link #release()} ends that earlier, and is due when the time is over. Returns at
	 * once.
	 * @param rest how much longer
	 * @return completed with whether the lock stays taken for that time even if this
	 * instance stops or crashes; {@code false}, as by default, if it stays taken only as
	 * long as this instance lives and does not release it. Never completed exceptionally,
	 * and completed late or never while the servers do not answer
	 */
	default CompletableFuture<Boolean> keep(Duration rest) {
		return CompletableFuture.completedFuture(false);
	}

	/**
	 * End the hold. Returns at once; calls after the first have no effect.
	 * @return completed when the servers have answered: {@link LockState#RELEASED},
	 * possibly on a thread of a client, which must not block, or {@link LockState#LOST},
	 * on a thread that may, if the lock turns out to have been lost before. Never
	 * completed exceptionally for infrastructure failures, and completed late or never
	 * while the servers do not answer
	 */
	CompletableFuture<LockState> release();

	/**
	 * Return this grant, or the one beneath it, as another type, for code that knows the
	 * provider; empty if there is none of that type.
	 */
	default <T> Optional<T> unwrap(Class<T> type) {
		return type.isInstance(this) ? Optional.of(type.cast(this)) : Optional.empty();
	}

}
