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

	/** Tags with few values, which metrics have too. */
	public enum LowCardinality implements KeyName {

		/** Name of the lock. */
		NAME("lock.name"),

		/** How it was asked for. */
		MODE("lock.mode"),

		/** How it ended. */
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

	/** Tags with any number of values, which only traces have. */
	public enum HighCardinality implements KeyName {

		/** Key of the lock, if it has one. */
		KEY("lock.key"),

		/** Fencing token, once there is one. */
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
