package io.interlock;

import java.time.Duration;

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
	 * provider that keeps an order of its own puts an owner that
	 * {@link LockOwner#retries() retries} in front.
	 * @param request what is asked for; of its wait time only zero matters here: then the
	 * attempt does not wait for other holders
	 * @param owner the caller that asks
	 * @return the attempt under way
	 */
	LockAttempt attempt(LockRequest request, LockOwner owner);

	/**
	 * Start to acquire a lock that is expected to be free, without waiting for other
	 * holders, whatever the wait time of the request. A free lock takes as long as with
	 * {@link #attempt}; by default, one that is held is refused in the same way too.
	 * @param request what is asked for
	 * @param owner the caller that asks
	 * @return the attempt under way
	 */
	default LockAttempt attemptAtOnce(LockRequest request, LockOwner owner) {
		return attempt(request.withWaitTime(Duration.ZERO), owner);
	}

	/**
	 * {@return what this provider can do; everything by default} Never changes.
	 */
	default LockCapabilities capabilities() {
		return LockCapabilities.ALL;
	}

}
