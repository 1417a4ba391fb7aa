package io.interlock.provider;

import io.interlock.LockRequest;

/**
 * Where locks come from: the seam between the template and a coordination service. A
 * provider knows neither re-entrance nor deadlines; both belong to its caller.
 * Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockProvider {

	/**
	 * Start to acquire a lock. Returns at once, whatever the state of the service. A
	 * provider that keeps an order of its own puts a caller that
	 * {@link LockCaller#retries() retries} in front. If the caller
	 * {@link LockCaller#expectsFree() expects a free lock}, one need not look before.
	 * @param request the request; of its wait time only zero matters here: then the
	 * attempt does not wait for other holders
	 * @param caller which asks
	 * @return the attempt under way
	 */
	LockAttempt attempt(LockRequest request, LockCaller caller);

	/** Return what this provider can do; everything by default. Never changes. */
	default LockCapabilities capabilities() {
		return LockCapabilities.ALL;
	}

	/**
	 * Return what can be done for a request, where that depends on the request.
	 * @throws IllegalArgumentException if the request names a provider that is not known
	 * @throws UnsupportedOperationException if settings of the lock refuse the request;
	 * the message names them
	 */
	default LockCapabilities capabilities(LockRequest request) {
		return capabilities();
	}

}
