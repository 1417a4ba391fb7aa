package io.interlock.provider;

import java.time.Duration;

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
	 * {@link LockCaller#retries() retries} in front.
	 * @param request the request; of its wait time only zero matters here: then the
	 * attempt does not wait for other holders
	 * @param caller which asks
	 * @return the attempt under way
	 */
	LockAttempt attempt(LockRequest request, LockCaller caller);

	/**
	 * Start to acquire a lock that is expected to be free, without waiting for other
	 * holders, whatever the wait time of the request. A free lock takes as long as with
	 * {@link #attempt}; by default, one that is held is refused in the same way too.
	 * @param request the request
	 * @param caller which asks
	 * @return the attempt under way
	 */
	default LockAttempt attemptAtOnce(LockRequest request, LockCaller caller) {
		return attempt(request.withWaitTime(Duration.ZERO), caller);
	}

	/** Return what this provider can do; everything by default. Never changes. */
	default LockCapabilities capabilities() {
		return LockCapabilities.ALL;
	}

	/**
	 * Return what can be done for a request; the same for all requests by default.
	 * @param request the request
	 * @return the capabilities
	 * @throws IllegalArgumentException if the request names a provider that is not known
	 */
	default LockCapabilities capabilities(LockRequest request) {
		return capabilities();
	}

}
