package io.interlock.template;

import org.jspecify.annotations.Nullable;

/**
 * Code with a result that runs under several locks.
 *
 * @param <T> type of the result
 * @param <E> what it throws, passed to the caller unchanged
 * @since 0.1.0
 */
@FunctionalInterface
public interface LocksCallback<T extends @Nullable Object, E extends Throwable> {

	/**
	 * Run under the locks.
	 * @param locks the holds; they end when this method has returned
	 */
	T doInLocks(LockHandles locks) throws E;

}
