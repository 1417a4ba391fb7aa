package io.interlock.annotation;

/**
 * What a call does when others hold the lock for the whole wait time. An outage is never
 * contention, but a {@link io.interlock.LockServiceUnavailableException}.
 *
 * @since 0.1.0
 */
public enum ContentionPolicy {

	/** Throw {@link io.interlock.LockNotAcquiredException}. */
	FAIL,

	/**
	 * Skip the method and return {@code null} or an empty {@code Optional}. Waits only if
	 * a wait time is set. Refused on startup for primitive return types.
	 */
	SKIP

}
