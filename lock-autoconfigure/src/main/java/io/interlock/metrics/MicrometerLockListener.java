package io.interlock.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockListener;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.template.HeldLocks;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.util.Assert;

/**
 * Records acquisitions, holds and losses of locks in a {@link MeterRegistry}. Meters
 * carry the name and the mode of a lock, and never its key, of which there may be any
 * number. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class MicrometerLockListener implements LockListener {

	private final MeterRegistry registry;

	private final HeldLocks heldLocks;

	private final Map<Kind, LockMeters> meters = new ConcurrentHashMap<>();

	/** Create a listener for the locks that this instance holds and waits for. */
	public MicrometerLockListener(MeterRegistry registry, HeldLocks heldLocks) {
		Assert.notNull(registry, "'registry' must not be null");
		Assert.notNull(heldLocks, "'heldLocks' must not be null");
		this.registry = registry;
		this.heldLocks = heldLocks;
	}

	@Override
	public void onWaiting(LockRequest request) {
		meters(request).waiting.increment();
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		meters(request).acquired(handle, waited);
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		meters(request).ended(LockMeters.Outcome.NOT_ACQUIRED, true, waited);
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		meters(request).ended(LockMeters.Outcome.of(failure), false, failure.waited());
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		meters(handle).released(held);
	}

	@Override
	public void onLost(LockHandle handle) {
		meters(handle).lost.increment();
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		meters(handle).overdue.increment();
	}

	@Override
	public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
		meters(handle).revocationRequests.increment();
	}

	private LockMeters meters(LockRequest request) {
		return meters(request.id(), request.mode());
	}

	private LockMeters meters(LockHandle handle) {
		return meters(handle.id(), handle.mode());
	}

	private LockMeters meters(LockId id, LockMode mode) {
		// get first: computeIfAbsent may lock even if the entry is there
		Kind kind = new Kind(id.name(), mode);
		LockMeters known = this.meters.get(kind);
		return (known != null) ? known : this.meters.computeIfAbsent(kind,
				(added) -> new LockMeters(this.registry, added.name(), added.mode(), this.heldLocks));
	}

	private record Kind(String name, LockMode mode) {

	}

}
