package io.interlock.template;

import io.interlock.LockHandle;

/**
 * Code without a result that runs under a lock.
 *
 * @param <E> what it throws, passed to the caller unchanged
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockAction<E extends Throwable> {

	/**
	 * Run under the lock.
	 * @param lock the hold; it ends when this method has returned
	 */
	void doInLock(LockHandle lock) throws E;

}
