package io.interlock.integration;

import java.util.concurrent.locks.Lock;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;
import io.interlock.template.LockOperations;

import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.util.Assert;

/**
 * A registry whose locks are those of Interlock: one name for all of them, and the object
 * that is asked for as the key. Safe for use by many threads.
 * <p>
 * A lock belongs to the thread that has locked it, whichever of the equal objects that
 * thread uses, and is as re-entrant as {@link LockOperations#acquire}. Its methods do
 * what {@link LockOperations#asLock} says: {@code lock()} waits through outages,
 * {@code tryLock()} does not wait for other holders, an outage is
 * {@link io.interlock.LockServiceUnavailableException} and no {@code false}, and
 * {@code unlock()} throws {@link io.interlock.LockLostException}, after it has released,
 * if the lock was lost meanwhile. A thread that does not hold the lock gets an
 * {@link IllegalMonitorStateException}.
 * <p>
 * There is no time to live to choose or to renew: a lock is held until it is unlocked, as
 * long as the session or lease of this instance lasts, which is kept alive in the
 * background. So this registry neither is a {@code RenewableLockRegistry} nor has locks
 * of type {@code DistributedLock}.
 *
 * @since 0.1.0
 */
public final class InterlockLockRegistry implements ExpirableLockRegistry<Lock> {

	/** Name of the locks of a registry that is made without a request. */
	public static final String DEFAULT_NAME = "spring-integration";

	private final LockOperations locks;

	private final LockRequest request;

	private final LocksOfThread locksOfThread = new LocksOfThread();

	/**
	 * Create a registry whose locks have the name {@value #DEFAULT_NAME} and are released
	 * when they are unlocked, also inside a transaction.
	 * @param locks where the locks come from
	 */
	public InterlockLockRegistry(LockOperations locks) {
		this(locks, LockRequest.exclusive(DEFAULT_NAME).withRelease(ReleasePolicy.AFTER_METHOD));
	}

	/**
	 * Create a registry.
	 * @param locks where the locks come from
	 * @param request name and policies of all locks of the registry; exclusive and
	 * without a key. A wait time limits {@code lock()}, which then throws
	 * {@link io.interlock.LockNotAcquiredException}
	 * @throws IllegalArgumentException if the request is for a shared lock or a
	 * semaphore, or has a key
	 */
	public InterlockLockRegistry(LockOperations locks, LockRequest request) {
		Assert.notNull(locks, "'locks' must not be null");
		Assert.notNull(request, "'request' must not be null");
		Assert.isTrue(request.mode() == LockMode.EXCLUSIVE,
				() -> "'request' of a lock registry must be exclusive: " + request);
		Assert.isTrue(request.id().key() == null,
				() -> "'request' of a lock registry must have no key, because obtain(lockKey) gives it one: "
						+ request);
		this.locks = locks;
		this.request = request;
	}

	/**
	 * Return the lock for a key. Equal keys give equal locks, which are the same lock in
	 * every instance. Nothing is kept for a lock that is not held.
	 * @param lockKey the key; see {@link LockRequest#withKey} for the types that have a
	 * text which is the same in every JVM
	 * @return the lock
	 * @throws IllegalArgumentException if the key is {@code null} or has no such text
	 */
	@Override
	public Lock obtain(Object lockKey) {
		return new RegistryLock(this.request.withKey(lockKey), this.locks, this.locksOfThread);
	}

	/**
	 * Do nothing: the registry keeps no locks that are not held, whatever their age.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

}
