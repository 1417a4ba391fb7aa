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
 * Publishes what happens to locks as {@link LockEvent}s. That a thread begins to wait is
 * no event. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class EventPublishingLockListener implements LockListener {

	private final ApplicationEventPublisher publisher;

	/**
	 * Create a listener.
	 * @param publisher where events go
	 */
	public EventPublishingLockListener(ApplicationEventPublisher publisher) {
		Assert.notNull(publisher, "'publisher' must not be null");
		this.publisher = publisher;
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		this.publisher.publishEvent(new LockAcquiredEvent(request, handle, waited));
	}

	@Override
	public void onNotAcquired(LockRequest request, Duration waited) {
		this.publisher.publishEvent(new LockNotAcquiredEvent(request, waited));
	}

	@Override
	public void onFailure(LockRequest request, LockException failure) {
		this.publisher.publishEvent(new LockFailedEvent(request, failure));
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		this.publisher.publishEvent(new LockReleasedEvent(handle, held));
	}

	@Override
	public void onLost(LockHandle handle) {
		this.publisher.publishEvent(new LockLostEvent(handle));
	}

	@Override
	public void onUnconfirmed(LockHandle handle) {
		this.publisher.publishEvent(new LockUnconfirmedEvent(handle));
	}

	@Override
	public void onOverdue(LockHandle handle, Duration held) {
		this.publisher.publishEvent(new LockOverdueEvent(handle, held));
	}

	@Override
	public void onRevocationRequested(LockHandle handle, RevocationRequest request) {
		this.publisher.publishEvent(new LockRevocationRequestedEvent(handle, request));
	}

}
