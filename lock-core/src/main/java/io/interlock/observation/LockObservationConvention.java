package io.interlock.observation;

import java.util.Locale;

import io.interlock.LockHandle;
import io.interlock.observation.LockObservation.Tag;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and tags of the observations of locks. A bean of this type replaces
 * {@link Default}.
 *
 * @since 0.1.0
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

	/** The name of the lock for metrics and traces, key and token for traces only. */
	class Default implements LockObservationConvention {

		@Override
		public String getContextualName(LockObservationContext context) {
			return ((context.handle() != null) ? "hold " : "wait for ") + context.request().id().name();
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
			return KeyValues.of(Tag.NAME.withValue(context.request().id().name()),
					Tag.MODE.withValue(context.request().mode().name().toLowerCase(Locale.ROOT)),
					Tag.OUTCOME.withValue(context.outcome().value()));
		}

		@Override
		public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
			KeyValues values = KeyValues.empty();
			String key = context.request().id().key();
			if (key != null) {
				values = values.and(Tag.KEY.withValue(key));
			}
			LockHandle handle = context.handle();
			if (handle != null) {
				values = values.and(Tag.TOKEN.withValue(Long.toString(handle.fencingToken())));
			}
			return values;
		}

	}

}
