package io.interlock.annotation;

/**
 * What an annotated method does when somebody else holds the lock for the whole wait
 * time. An outage is never contention: it always ends in
 * {@link io.interlock.LockServiceUnavailableException}.
 *
 * @since 0.1.0
 */
public enum ContentionPolicy {

	/**
	 * Throw {@link io.interlock.LockNotAcquiredException}.
	 */
	FAIL,

	/**
	 * Do not invoke the method and return {@code null}, or {@code Optional.empty()} where
	 * the method returns an {@code Optional}. Refused on start-up for primitive return
	 * types.
	 */
	SKIP

}
