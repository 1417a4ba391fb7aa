package io.interlock.annotation;

/**
 * What an annotated method does when another holder keeps the lock for the whole wait
 * time. An outage is never contention: it always ends in
 * {@link io.interlock.LockServiceUnavailableException}.
 *
 * @since 0.1.0
 */
public enum ContentionPolicy {

	/** Throw {@link io.interlock.LockNotAcquiredException}. */
	FAIL,

	/**
	 * Do not invoke the method and return {@code null}, or {@code Optional.empty()} where
	 * the method returns an {@code Optional}. Does not wait for the lock unless a wait
	 * time is given. Refused on startup for primitive return types.
	 */
	SKIP

}
