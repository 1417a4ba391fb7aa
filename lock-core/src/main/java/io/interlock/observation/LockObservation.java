package io.interlock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * Observations of locks.
 *
 * @since 0.1.0
 */
public enum LockObservation implements ObservationDocumentation {

	/** A thread waits for a lock. */
	WAIT("interlock.lock.wait"),

	/** A thread holds a lock. */
	HOLD("interlock.lock.hold");

	private final String observationName;

	LockObservation(String observationName) {
		this.observationName = observationName;
	}

	@Override
	public String getName() {
		return this.observationName;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return LockObservationConvention.Default.class;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinality.values();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return HighCardinality.values();
	}

	/** Tags with few values, for metrics and traces. */
	public enum LowCardinality implements KeyName {

		/** Name of the lock. */
		NAME("lock.name"),

		/** Mode of the request. */
		MODE("lock.mode"),

		/** End of the wait or of the hold. */
		OUTCOME("lock.outcome");

		private final String key;

		LowCardinality(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/** Tags with any number of values, for traces only. */
	public enum HighCardinality implements KeyName {

		/** Key of the lock, if there is one. */
		KEY("lock.key"),

		/** Fencing token, after the grant. */
		TOKEN("lock.token");

		private final String key;

		HighCardinality(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
