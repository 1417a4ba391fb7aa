package io.interlock.interceptor;

import java.util.List;

import org.aopalliance.intercept.MethodInvocation;

/**
 * Computes the keys of the locks that one call takes together. Implementations are safe
 * for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockKeys {

	/**
	 * Compute the keys of a call. Asked once per call, before waiting for the locks.
	 * @param invocation the call
	 * @return the keys without duplicates, at least one and none of them blank
	 * @throws IllegalArgumentException if the arguments of the call give no keys
	 */
	List<String> evaluate(MethodInvocation invocation);

}
