package io.interlock.template;

import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Runs code under a lock. The interface of {@link LockTemplate}, to be mocked in tests.
 * Implementations are safe for use by many threads.
 * <p>
 * Every method waits at most for the {@link LockRequest#waitTime() wait time} of the
 * request, or the configured default, whatever the network does. Beside what each method
 * says, every method throws {@link io.interlock.LockServiceUnavailableException} if the
 * lock service does not answer, {@link io.interlock.LockInterruptedException} if the
 * thread is interrupted while it waits, {@link io.interlock.LockUpgradeException} if the
 * thread holds the same lock shared and asks for it exclusively, and
 * {@link io.interlock.LockLostException} if the thread holds the same lock and has lost
 * it. A thread that holds a lock joins its own hold when it asks for the lock again.
 *
 * @since 0.1.0
 */
public interface LockOperations {

	/**
	 * Run an action under a lock and return its result.
	 * @param request which lock, and how
	 * @param action what to do
	 * @param <T> type of the result
	 * @param <E> what the action throws; it reaches the caller as it is
	 * @return the result of the action
	 * @throws io.interlock.LockNotAcquiredException if others hold the lock for the whole
	 * wait time
	 * @throws io.interlock.LockLostException in place of the result if the lock was lost
	 * while the action ran, unless the policy of the request is
	 * {@link io.interlock.LossPolicy#SIGNAL}
	 * @throws E if the action throws
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> action)
			throws E;

	/**
	 * Run an action under a lock, or not at all if others hold the lock for the whole
	 * wait time.
	 * @param request which lock, and how
	 * @param action what to do
	 * @param <T> type of the result
	 * @param <E> what the action throws; it reaches the caller as it is
	 * @return whether the action ran, and its result
	 * @throws io.interlock.LockLostException in place of the result if the lock was lost
	 * while the action ran, unless the policy of the request is
	 * {@link io.interlock.LossPolicy#SIGNAL}
	 * @throws E if the action throws
	 */
	<T extends @Nullable Object, E extends Throwable> LockOutcome<T> tryExecute(LockRequest request,
			LockCallback<T, E> action) throws E;

	/**
	 * Run an action without a result under a lock.
	 * @param request which lock, and how
	 * @param action what to do
	 * @param <E> what the action throws; it reaches the caller as it is
	 * @throws io.interlock.LockNotAcquiredException if others hold the lock for the whole
	 * wait time
	 * @throws io.interlock.LockLostException if the lock was lost while the action ran,
	 * unless the policy of the request is {@link io.interlock.LossPolicy#SIGNAL}
	 * @throws E if the action throws
	 */
	@SuppressWarnings("NullAway") // blind to type arguments below JDK 22
	default <E extends Throwable> void executeWithoutResult(LockRequest request, LockAction<E> action) throws E {
		Assert.notNull(action, "'action' must not be null");
		this.<@Nullable Void, E>execute(request, (lock) -> {
			action.doInLock(lock);
			return null;
		});
	}

	/**
	 * Acquire a lock that is held until its handle is closed.
	 * @param request which lock, and how
	 * @return the hold, for a try-with-resources statement
	 * @throws io.interlock.LockNotAcquiredException if others hold the lock for the whole
	 * wait time
	 */
	LockHandle acquire(LockRequest request);

	/**
	 * Acquire a lock that is held until its handle is closed. Waits like
	 * {@link #acquire}; only the answer to contention differs.
	 * @param request which lock, and how
	 * @return the hold, or empty if others hold the lock for the whole wait time
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

}
