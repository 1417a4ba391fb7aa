package io.interlock.event;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.Assert;

/**
 * Publishes {@link LockEvent}s. Waiting publishes none. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class EventPublishingLockListener implements LockListener {

	private final ApplicationEventPublisher publisher;

	/** Create a listener. */
	public EventPublishingLockListener(ApplicationEventPublisher publisher) {
		Assert.notNull(publisher, "'publisher' must not be null");
		this.publisher = publisher;
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		this.publisher.publishEvent(new LockEvent.Acquired(request, handle, waited));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		this.publisher.publishEvent(new LockEvent.NotAcquired(request, waited));
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		this.publisher.publishEvent(new LockEvent.Failed(request, failure));
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		this.publisher.publishEvent(new LockEvent.Released(handle, held));
	}

	@Override
	public void onLost(LockHandle handle) {
		this.publisher.publishEvent(new LockEvent.Lost(handle));
	}

	@Override
	public void onUnconfirmed(LockHandle handle) {
		this.publisher.publishEvent(new LockEvent.Unconfirmed(handle));
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		this.publisher.publishEvent(new LockEvent.Overdue(handle, held));
	}

	@Override
	public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
		this.publisher.publishEvent(new LockEvent.RevocationRequested(handle, request));
	}

}
