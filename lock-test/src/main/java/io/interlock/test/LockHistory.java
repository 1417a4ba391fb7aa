package io.interlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.event.LockAcquiredEvent;
import io.interlock.event.LockEvent;
import io.interlock.event.LockFailedEvent;
import io.interlock.event.LockLostEvent;
import io.interlock.event.LockNotAcquiredEvent;
import io.interlock.event.LockOverdueEvent;
import io.interlock.event.LockReleasedEvent;
import io.interlock.event.LockRevocationRequestedEvent;
import io.interlock.event.LockUnconfirmedEvent;

/**
 * Remembers what happened to locks since it was last cleared. Safe for use by many
 * threads.
 */
final class LockHistory implements LockListener {

	private final List<LockEvent> events = new ArrayList<>();

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		add(new LockAcquiredEvent(request, handle, waited));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		add(new LockNotAcquiredEvent(request, waited));
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		add(new LockFailedEvent(request, failure));
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		add(new LockReleasedEvent(handle, held));
	}

	@Override
	public void onLost(LockHandle handle) {
		add(new LockLostEvent(handle));
	}

	@Override
	public void onUnconfirmed(LockHandle handle) {
		add(new LockUnconfirmedEvent(handle));
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		add(new LockOverdueEvent(handle, held));
	}

	@Override
	public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
		add(new LockRevocationRequestedEvent(handle, request));
	}

	private synchronized void add(LockEvent event) {
		this.events.add(event);
	}

	synchronized List<LockEvent> events() {
		return List.copyOf(this.events);
	}

	synchronized void clear() {
		this.events.clear();
	}

}
