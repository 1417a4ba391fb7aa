package io.interlock.observation;

import java.util.Locale;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Context of an observed wait or hold, written before the observation stops.
 *
 * @since 0.1.0
 */
public class LockObservationContext extends Observation.Context {

	private final LockRequest request;

	private volatile @Nullable LockHandle handle;

	private volatile Outcome outcome = Outcome.UNKNOWN;

	/** Create a context. */
	public LockObservationContext(LockRequest request) {
		this.request = request;
	}

	/** Return the request. */
	public LockRequest request() {
		return this.request;
	}

	/** Return the hold, or {@code null} before the grant. */
	public @Nullable LockHandle handle() {
		return this.handle;
	}

	/** Return how the wait or the hold ended. */
	public Outcome outcome() {
		return this.outcome;
	}

	void granted(LockHandle handle) {
		this.handle = handle;
	}

	void ended(Outcome outcome) {
		this.outcome = outcome;
	}

	/** The end of a wait or a hold. */
	public enum Outcome {

		/** Neither has ended yet. */
		UNKNOWN,

		/** The wait ended with the lock. */
		ACQUIRED,

		/** The wait ended because others hold the lock. */
		NOT_ACQUIRED,

		/** The wait ended with an error. */
		FAILED,

		/** The hold ended with its release. */
		RELEASED,

		/** The lock was lost while it was held. */
		LOST;

		private final String value = name().toLowerCase(Locale.ROOT);

		/** Return the outcome as the value of a tag, in lower case. */
		public String value() {
			return this.value;
		}

	}

}
