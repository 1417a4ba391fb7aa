package io.interlock.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Observes waiting and holding. Both are children of what the thread was doing when they
 * began, and neither becomes the current observation: a hold may end on another thread,
 * which could not take it back from this one. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class ObservationLockListener implements LockListener {

	private final ObservationRegistry registry;

	private final @Nullable LockObservationConvention convention;

	// An answer follows on the thread that waited, before it waits again.
	private final ThreadLocal<@Nullable Observed> waiting = new ThreadLocal<>();

	private final Map<LockHandle, Observed> holding = new ConcurrentHashMap<>();

	/**
	 * Create a listener.
	 * @param registry where observations are made
	 * @param convention names and tags, or {@code null} for the default ones
	 */
	public ObservationLockListener(ObservationRegistry registry, @Nullable LockObservationConvention convention) {
		Assert.notNull(registry, "'registry' must not be null");
		this.registry = registry;
		this.convention = convention;
	}

	@Override
	public void onWaiting(LockRequest request) {
		this.waiting.set(start(LockObservation.WAIT, new LockObservationContext(request)));
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		stopWaiting(LockOutcomeTag.ACQUIRED, null);
		LockObservationContext context = new LockObservationContext(request);
		context.granted(handle);
		this.holding.put(handle, start(LockObservation.HOLD, context));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		stopWaiting(LockOutcomeTag.NOT_ACQUIRED, null);
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		stopWaiting(LockOutcomeTag.FAILED, failure);
	}

	@Override
	public void onLost(LockHandle handle) {
		Observed observed = this.holding.get(handle);
		if (observed != null) {
			observed.observation().event(Observation.Event.of("lock.lost"));
		}
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		Observed observed = this.holding.remove(handle);
		if (observed != null) {
			observed.stop(handle.isLost() ? LockOutcomeTag.LOST : LockOutcomeTag.RELEASED);
		}
	}

	private void stopWaiting(LockOutcomeTag outcome, @Nullable LockException failure) {
		Observed observed = this.waiting.get();
		this.waiting.remove();
		if (observed != null) {
			if (failure != null) {
				observed.observation().error(failure);
			}
			observed.stop(outcome);
		}
	}

	private Observed start(LockObservation documentation, LockObservationContext context) {
		Observation observation = documentation.observation(this.convention, new DefaultLockObservationConvention(),
				() -> context, this.registry);
		return new Observed(observation.start(), context);
	}

	/**
	 * An observation under way.
	 */
	private record Observed(Observation observation, LockObservationContext context) {

		void stop(LockOutcomeTag outcome) {
			this.context.ended(outcome);
			this.observation.stop();
		}

	}

}
