package io.interlock.template;

import io.interlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Code with a result that runs under a lock.
 *
 * @param <T> type of the result
 * @param <E> what it throws, passed to the caller unchanged
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Run under the lock.
	 * @param lock the hold; it ends when this method has returned
	 */
	T doInLock(LockHandle lock) throws E;

}
