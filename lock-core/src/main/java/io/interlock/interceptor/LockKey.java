package io.interlock.interceptor;

import org.aopalliance.intercept.MethodInvocation;

/**
 * Computes the key that narrows the lock of a method to the things one call is about.
 * Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockKey {

	/**
	 * Compute the key of a call. Asked once per call, before waiting for the lock.
	 * @param invocation the call
	 * @return the key, never blank
	 * @throws IllegalArgumentException if the arguments of the call give no key
	 */
	String evaluate(MethodInvocation invocation);

}
