package io.interlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.event.LockEvent;

/**
 * Remembers what happened to locks since it was last cleared. Safe for use by many
 * threads.
 */
final class LockHistory implements LockListener {

	private final List<LockEvent> events = new ArrayList<>();

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		add(new LockEvent.Acquired(request, handle, waited));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		add(new LockEvent.NotAcquired(request, waited));
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		add(new LockEvent.Failed(request, failure));
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		add(new LockEvent.Released(handle, held));
	}

	@Override
	public void onLost(LockHandle handle) {
		add(new LockEvent.Lost(handle));
	}

	@Override
	public void onUnconfirmed(LockHandle handle) {
		add(new LockEvent.Unconfirmed(handle));
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		add(new LockEvent.Overdue(handle, held));
	}

	@Override
	public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
		add(new LockEvent.RevocationRequested(handle, request));
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
