package io.interlock.interceptor;

import io.interlock.LockException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Answers calls whose lock was not acquired, in place of the method. Implementations are
 * safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockFallback {

	/**
	 * Answer a call whose method has not begun.
	 * @param invocation the call
	 * @param failure why there is no lock: {@link io.interlock.LockNotAcquiredException}
	 * or {@link io.interlock.LockServiceUnavailableException}
	 * @return what the caller gets
	 * @throws Throwable what the caller gets instead; the failure if it is not handled
	 */
	@Nullable Object answer(MethodInvocation invocation, LockException failure) throws Throwable;

}
