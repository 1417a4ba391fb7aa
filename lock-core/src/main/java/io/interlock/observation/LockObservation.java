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
		return new KeyName[] { Tag.NAME, Tag.MODE, Tag.OUTCOME };
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return new KeyName[] { Tag.KEY, Tag.TOKEN };
	}

	/** Tags of observations. */
	public enum Tag implements KeyName {

		/** Name of the lock, for metrics and traces. */
		NAME("lock.name"),

		/** Mode of the request, for metrics and traces. */
		MODE("lock.mode"),

		/** End of the wait or of the hold, for metrics and traces. */
		OUTCOME("lock.outcome"),

		/** Key of the lock, if there is one, for traces only. */
		KEY("lock.key"),

		/** Fencing token, after the grant, for traces only. */
		TOKEN("lock.token");

		private final String key;

		Tag(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
