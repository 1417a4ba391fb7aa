package io.interlock.event;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.RevocationRequest;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationEventPublisher;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link EventPublishingLockListener}.
 */
class EventPublishingLockListenerTests {

	private static final Duration TIME = Duration.ofMillis(5);

	private final ApplicationEventPublisher publisher = mock(ApplicationEventPublisher.class);

	private final EventPublishingLockListener listener = new EventPublishingLockListener(this.publisher);

	private final LockRequest request = LockRequest.exclusive("orders").withKey(42);

	private final LockHandle handle = mock(LockHandle.class);

	@Test
	@SuppressWarnings("NullAway")
	void createWithoutPublisherFails() {
		assertThatIllegalArgumentException().isThrownBy(() -> new EventPublishingLockListener(null))
			.withMessage("'publisher' must not be null");
	}

	@Test
	void publishesNothingForAWait() {
		this.listener.onWaiting(this.request);
		then(this.publisher).shouldHaveNoInteractions();
	}

	@Test
	void publishesAnAcquiredLock() {
		this.listener.onAcquired(this.request, this.handle, TIME);
		thenPublished(new LockEvent.Acquired(this.request, this.handle, TIME));
	}

	@Test
	void publishesALockThatWasNotAcquired() {
		this.listener.onNotAcquired(this.request, TIME);
		thenPublished(new LockEvent.NotAcquired(this.request, TIME));
	}

	@Test
	void publishesAFailure() {
		LockException failure = new LockServiceUnavailableException("no answer", this.request.id(), TIME, null);
		this.listener.onFailure(this.request, failure);
		thenPublished(new LockEvent.Failed(this.request, failure));
	}

	@Test
	void publishesARelease() {
		this.listener.onReleased(this.handle, TIME);
		thenPublished(new LockEvent.Released(this.handle, TIME));
	}

	@Test
	void publishesALoss() {
		this.listener.onLost(this.handle);
		thenPublished(new LockEvent.Lost(this.handle));
	}

	@Test
	void publishesAnUnconfirmedEnd() {
		this.listener.onUnconfirmed(this.handle);
		thenPublished(new LockEvent.Unconfirmed(this.handle));
	}

	@Test
	void publishesAnOverdueHold() {
		this.listener.onOverdue(this.handle, TIME);
		thenPublished(new LockEvent.Overdue(this.handle, TIME));
	}

	@Test
	void publishesThatARevocationIsRequested() {
		RevocationRequest request = new RevocationRequest("'alice'", Instant.EPOCH);
		this.listener.onRevocationRequested(this.handle, request);
		thenPublished(new LockEvent.RevocationRequested(this.handle, request));
	}

	private void thenPublished(LockEvent event) {
		then(this.publisher).should().publishEvent((Object) event);
		then(this.publisher).shouldHaveNoMoreInteractions();
	}

}
