package io.interlock.template;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Runs code under a lock. The interface of {@link LockTemplate}, to be mocked in tests.
 * Implementations are safe for use by many threads.
 * <p>
 * Every method waits for at most the {@link LockRequest#waitTime() wait time} of the
 * request, whatever happens on the network. Without one, {@link #execute} and
 * {@link #acquire} wait for the configured default, and {@link #tryExecute} and
 * {@link #tryAcquire} do not wait. A wait time that is configured for the name of the
 * lock overrides both. Besides its own exceptions, every method throws
 * {@link io.interlock.LockServiceUnavailableException} if the lock service does not
 * answer, {@link io.interlock.LockInterruptedException} if the thread is interrupted
 * while it waits, {@link io.interlock.LockUpgradeException} if the thread holds the same
 * lock shared and asks for it exclusively, and {@link io.interlock.LockLostException} if
 * the thread holds the same lock and has lost it. {@code LockLostException} also replaces
 * the result if a lock was lost while its action ran, unless the policy of the request is
 * {@link io.interlock.LossPolicy#SIGNAL}; the check may take the verify timeout. A thread
 * that holds a lock joins its own hold when it requests the lock again.
 *
 * @since 0.1.0
 */
public interface LockOperations {

	/**
	 * Run an action under a lock and return its result.
	 * @param request which lock, and how
	 * @param action what to do
	 * @param <E> what the action throws; it reaches the caller as it is
	 * @throws io.interlock.LockNotAcquiredException if others hold the lock for the whole
	 * wait time
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockRequest request, LockCallback<T, E> action)
			throws E;

	/**
	 * Run an action under a lock, unless others hold the lock: now, or for the whole wait
	 * time if the request has one.
	 * @param request which lock, and how
	 * @param action what to do
	 * @param <E> what the action throws; it reaches the caller as it is
	 * @return whether the action ran, and its result
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
	 * @return the hold, for a try-with-resources statement
	 * @throws io.interlock.LockNotAcquiredException if others hold the lock for the whole
	 * wait time
	 */
	LockHandle acquire(LockRequest request);

	/**
	 * Acquire a lock that is held until its handle is closed, unless others hold it: now,
	 * or for the whole wait time if the request has one.
	 * @return the hold, or empty if others hold the lock
	 */
	Optional<LockHandle> tryAcquire(LockRequest request);

	/**
	 * Acquire several locks, all or none. They are acquired in the same order in all
	 * instances, so callers of this method never wait for each other in a circle,
	 * whatever the order of their requests. Names and modes may be mixed. A lock that is
	 * requested more than once is acquired once, exclusively if any of its requests is
	 * exclusive; the first request of that mode counts.
	 * <p>
	 * The shortest wait time is the deadline for all locks. A lock whose turn comes only
	 * then is tried once. Each request keeps its policies.
	 * @param requests which locks, and how; at least one, and at most as many as
	 * {@code interlock.max-keys} allows
	 * @return the holds, for a try-with-resources statement
	 * @throws io.interlock.LockNotAcquiredException if others hold one of the locks until
	 * the deadline; it names that lock
	 * @throws io.interlock.LockLostException if one of the locks was lost before the last
	 * one was acquired
	 * @throws IllegalArgumentException if there are no requests, or too many
	 */
	LockHandles acquireAll(Collection<LockRequest> requests);

	/**
	 * Acquire several locks like {@link #acquireAll}, all or none, unless others hold one
	 * of them: now, or for the whole wait time, which is the shortest of all. If any
	 * request has no wait time, none of them waits.
	 * @return the holds, or empty if others hold one of the locks; none is held then
	 */
	Optional<LockHandles> tryAcquireAll(Collection<LockRequest> requests);

	/**
	 * Run an action under several locks and return its result. They are acquired like
	 * those of {@link #acquireAll}. Within the action, {@link LockContext#current()} is
	 * the last of them in their order.
	 * @param requests which locks, and how
	 * @param action what to do
	 * @param <E> what the action throws; it reaches the caller as it is
	 */
	<T extends @Nullable Object, E extends Throwable> T executeAll(Collection<LockRequest> requests,
			LocksCallback<T, E> action) throws E;

	/**
	 * Run an action under several locks like {@link #executeAll}, unless others hold one
	 * of them. They are acquired, and waited for, like those of {@link #tryAcquireAll}.
	 * @param requests which locks, and how
	 * @param action what to do
	 * @param <E> what the action throws; it reaches the caller as it is
	 * @return whether the action ran, and its result
	 */
	<T extends @Nullable Object, E extends Throwable> LockOutcome<T> tryExecuteAll(Collection<LockRequest> requests,
			LocksCallback<T, E> action) throws E;

	/**
	 * Acquire a lock that is held until its handle is closed, without blocking a thread.
	 * Returns at once. The hold belongs to no thread, so no thread joins it.
	 * <p>
	 * The future fails with what {@link #acquire} throws. It is completed on one of 64
	 * threads of the library that may block, so run dependents that block for long on an
	 * executor of the application. If its caller cancels or completes the future, the
	 * attempt is abandoned: a lock that is granted nevertheless is released.
	 * @param request which lock, and how; there is no thread to interrupt, so
	 * {@link io.interlock.LossPolicy#INTERRUPT} is like
	 * {@link io.interlock.LossPolicy#FAIL}, and its
	 * {@link io.interlock.LockRequest#release() release} has no effect
	 * @return the hold
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * Try to acquire a lock like {@link #acquireAsync}. A request without a wait time
	 * does not wait for other holders.
	 * @return the hold, or empty if others hold the lock for the whole wait time
	 */
	CompletableFuture<Optional<LockHandle>> tryAcquireAsync(LockRequest request);

	/**
	 * Run asynchronous work under a lock that is acquired like {@link #acquireAsync}. The
	 * action starts the work, on a thread of the library and never on the calling one,
	 * and the hold ends when the stage that it returns completes. It ends on the thread
	 * that completes the stage, or on a thread of the library if it may block, because
	 * servers must be asked whether the lock was lost. Until it returns, the action has
	 * its lock in the {@link LockContext}.
	 * <p>
	 * The future has the result or failure of that stage, or what the action has thrown.
	 * A lock that was lost meanwhile fails it, as with {@link #execute}. Cancelling it
	 * during the wait abandons the attempt. Later, it runs the actions of
	 * {@link LockHandle#onCancellation(Runnable)}, and the lock stays held until the
	 * stage has completed.
	 * @param request which lock, and how
	 */
	<T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Function<LockHandle, ? extends CompletionStage<T>> action);

	/**
	 * Return a lock as a {@link Lock}, for code that works with this interface. The
	 * object keeps no connection and need not be closed. Safe for use by many threads,
	 * and as re-entrant as {@link #acquire}; conditions are not supported.
	 * <ul>
	 * <li>{@code lock()} and {@code lockInterruptibly()} wait without a limit, through
	 * outages too, unless the request has a wait time of its own; then they throw
	 * {@link io.interlock.LockNotAcquiredException}. An interrupt makes {@code lock()}
	 * start again at the end of the queue and is kept for later.
	 * <li>{@code tryLock()} does not wait for other holders. If the lock service does not
	 * answer, both {@code tryLock} methods throw
	 * {@link io.interlock.LockServiceUnavailableException}.
	 * <li>{@code unlock()} throws {@link IllegalMonitorStateException} on a thread that
	 * has not locked the same object, and {@link io.interlock.LockLostException}, after
	 * it has released, if the lock was lost meanwhile, unless the policy of the request
	 * is {@link io.interlock.LossPolicy#SIGNAL}.
	 * </ul>
	 */
	Lock asLock(LockRequest request);

}
