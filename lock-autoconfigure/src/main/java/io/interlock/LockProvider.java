package io.interlock;

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
	 * Start to acquire a lock. Returns at once, whatever the state of the service.
	 * @param request what is asked for; of its wait time only zero matters here: then the
	 * attempt does not wait for other holders
	 * @param owner who asks
	 * @return the attempt under way
	 */
	LockAttempt attempt(LockRequest request, LockOwner owner);

	/**
	 * Start again for somebody whose grant was lost before it could be used. A provider
	 * that keeps an order of its own lets him go first.
	 * @param request what is asked for
	 * @param owner who asks
	 * @return the attempt under way
	 */
	default LockAttempt retry(LockRequest request, LockOwner owner) {
		return attempt(request, owner);
	}

	/**
	 * Register an action that runs whenever the service has become unavailable and this
	 * provider does not wait for it, so that attempts fail at once from then on. A
	 * provider that lets attempts wait for the service never runs it.
	 * @param action what to do, without blocking
	 */
	default void onUnavailable(Runnable action) {
	}

	/**
	 * Refuse new attempts and fail those under way with
	 * {@link LockServiceUnavailableException}, because the instance is about to stop.
	 * Holds stay.
	 */
	default void refuse() {
	}

	/**
	 * Take attempts again after {@link #refuse()}, because the instance starts again.
	 */
	default void accept() {
	}

}
