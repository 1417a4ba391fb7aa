package io.interlock.observation;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a lock that is waited for or held while it is observed. Written on
 * the thread that acquires, before the observation stops.
 *
 * @since 0.1.0
 */
public class LockObservationContext extends Observation.Context {

	private final LockRequest request;

	private volatile @Nullable LockHandle handle;

	private volatile LockOutcomeTag outcome = LockOutcomeTag.UNKNOWN;

	/**
	 * Create a context.
	 * @param request what was asked for
	 */
	public LockObservationContext(LockRequest request) {
		this.request = request;
	}

	/**
	 * {@return what was asked for}
	 */
	public LockRequest request() {
		return this.request;
	}

	/**
	 * {@return what was granted, or {@code null} if there is nothing yet}
	 */
	public @Nullable LockHandle handle() {
		return this.handle;
	}

	/**
	 * {@return how the wait or the hold ended}
	 */
	public LockOutcomeTag outcome() {
		return this.outcome;
	}

	void granted(LockHandle handle) {
		this.handle = handle;
	}

	void ended(LockOutcomeTag outcome) {
		this.outcome = outcome;
	}

}
