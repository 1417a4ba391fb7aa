package io.interlock.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.observation.LockObservationContext.Outcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Observes waits and holds. Both are children of the observation that was current at the
 * begin of the wait, and neither becomes current: a hold may end on another thread, which
 * could not reset the current observation of this one. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class ObservationLockListener implements LockListener {

	private final ObservationRegistry registry;

	private final @Nullable LockObservationConvention convention;

	private final Map<Wait, Observed> waiting = new ConcurrentHashMap<>();

	private final Map<LockHandle, Observed> holding = new ConcurrentHashMap<>();

	/** Create a listener, whose convention is {@code null} for the default. */
	public ObservationLockListener(ObservationRegistry registry, @Nullable LockObservationConvention convention) {
		Assert.notNull(registry, "'registry' must not be null");
		this.registry = registry;
		this.convention = convention;
	}

	@Override
	public void onWaiting(LockRequest request) {
		this.waiting.put(new Wait(request), start(LockObservation.WAIT, new LockObservationContext(request)));
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		Observed wait = stopWaiting(request, Outcome.ACQUIRED, null);
		LockObservationContext context = new LockObservationContext(request);
		context.granted(handle);
		if (wait != null) {
			context.setParentObservation(wait.context().getParentObservation());
		}
		this.holding.put(handle, start(LockObservation.HOLD, context));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		stopWaiting(request, Outcome.NOT_ACQUIRED, null);
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		stopWaiting(request, Outcome.FAILED, failure);
	}

	@Override
	public void onLost(LockHandle handle) {
		Observed observed = this.holding.get(handle);
		if (observed != null) {
			observed.observation().event(Observation.Event.of("lock.lost"));
		}
	}

	@Override
	public void onKept(LockHandle handle, Duration held) {
		stopHolding(handle);
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		stopHolding(handle);
	}

	private void stopHolding(LockHandle handle) {
		Observed observed = this.holding.remove(handle);
		if (observed != null) {
			observed.stop(handle.isLost() ? Outcome.LOST : Outcome.RELEASED);
		}
	}

	private @Nullable Observed stopWaiting(LockRequest request, Outcome outcome, @Nullable LockException failure) {
		Observed observed = this.waiting.remove(new Wait(request));
		if (observed != null) {
			if (failure != null) {
				observed.observation().error(failure);
			}
			observed.stop(outcome);
		}
		return observed;
	}

	private Observed start(LockObservation documentation, LockObservationContext context) {
		Observation observation = documentation.observation(this.convention, new LockObservationConvention.Default(),
				() -> context, this.registry);
		return new Observed(observation.start(), context);
	}

	/** One acquisition; its answer has the same instance of the request. */
	private record Wait(LockRequest request) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Wait wait && wait.request == this.request;
		}

		@Override
		public int hashCode() {
			return System.identityHashCode(this.request);
		}

	}

	private record Observed(Observation observation, LockObservationContext context) {

		void stop(Outcome outcome) {
			this.context.ended(outcome);
			this.observation.stop();
		}

	}

}
