package io.interlock.observation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ObservationLockListener}.
 */
class ObservationLockListenerTests {

	private static final Duration TIME = Duration.ofMillis(250);

	private final List<LockObservationContext> stopped = new ArrayList<>();

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final ObservationLockListener listener = new ObservationLockListener(this.registry, null);

	private final LockRequest request = LockRequest.exclusive("orders").withKey(42);

	private final LockHandle handle = mock(LockHandle.class);

	@BeforeEach
	void record() {
		given(this.handle.id()).willReturn(new LockId("orders", "42"));
		given(this.handle.fencingToken()).willReturn(17L);
		this.registry.observationConfig().observationHandler(new ObservationHandler<LockObservationContext>() {

			@Override
			public void onStop(LockObservationContext context) {
				ObservationLockListenerTests.this.stopped.add(context);
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LockObservationContext;
			}

		});
	}

	@Test
	void observesTheWait() {
		this.listener.onWaiting(this.request);
		assertThat(this.stopped).isEmpty();
		this.listener.onAcquired(this.request, this.handle, TIME);
		LockObservationContext wait = this.stopped.get(0);
		assertThat(wait.getName()).isEqualTo("interlock.lock.wait");
		assertThat(wait.getContextualName()).isEqualTo("wait for orders");
		assertThat(wait.getLowCardinalityKeyValues()).extracting(KeyValue::getKey, KeyValue::getValue)
			.containsExactlyInAnyOrder(tag("lock.name", "orders"), tag("lock.mode", "exclusive"),
					tag("lock.outcome", "acquired"));
		assertThat(wait.getHighCardinalityKeyValues()).extracting(KeyValue::getKey, KeyValue::getValue)
			.containsExactly(tag("lock.key", "42"));
	}

	@Test
	void observesTheHold() {
		this.listener.onWaiting(this.request);
		this.listener.onAcquired(this.request, this.handle, TIME);
		assertThat(this.stopped).hasSize(1);
		this.listener.onReleased(this.handle, TIME);
		LockObservationContext hold = this.stopped.get(1);
		assertThat(hold.getName()).isEqualTo("interlock.lock.hold");
		assertThat(hold.getContextualName()).isEqualTo("hold orders");
		assertThat(hold.outcome()).isEqualTo(LockObservationContext.Outcome.RELEASED);
		assertThat(hold.getHighCardinalityKeyValues()).extracting(KeyValue::getKey, KeyValue::getValue)
			.contains(tag("lock.token", "17"));
	}

	@Test
	void holdOfAKeptLockEndsWithItsHolder() {
		this.listener.onWaiting(this.request);
		this.listener.onAcquired(this.request, this.handle, TIME);
		this.listener.onKept(this.handle, TIME);
		assertThat(this.stopped).hasSize(2);
		this.listener.onReleased(this.handle, TIME);
		assertThat(this.stopped).hasSize(2);
	}

	@Test
	void tellsALossFromARelease() {
		this.listener.onWaiting(this.request);
		this.listener.onAcquired(this.request, this.handle, TIME);
		given(this.handle.isLost()).willReturn(true);
		this.listener.onLost(this.handle);
		this.listener.onReleased(this.handle, TIME);
		assertThat(this.stopped.get(1).outcome()).isEqualTo(LockObservationContext.Outcome.LOST);
	}

	@Test
	void tellsContentionFromFailure() {
		LockServiceUnavailableException failure = new LockServiceUnavailableException("no answer", this.request.id(),
				TIME, null);
		this.listener.onWaiting(this.request);
		this.listener.onNotAcquired(this.request, TIME);
		this.listener.onWaiting(this.request);
		this.listener.onFailure(this.request, failure);
		assertThat(this.stopped).extracting(LockObservationContext::outcome)
			.containsExactly(LockObservationContext.Outcome.NOT_ACQUIRED, LockObservationContext.Outcome.FAILED);
		assertThat(this.stopped.get(0).getError()).isNull();
		assertThat(this.stopped.get(1).getError()).isSameAs(failure);
	}

	@Test
	void isAChildOfWhatTheThreadWasDoing() {
		Observation request = Observation.start("http", this.registry);
		request.scoped(() -> {
			this.listener.onWaiting(this.request);
			this.listener.onAcquired(this.request, this.handle, TIME);
			assertThat(this.registry.getCurrentObservation()).isSameAs(request);
			this.listener.onReleased(this.handle, TIME);
		});
		assertThat(this.stopped).extracting(Observation.Context::getParentObservation)
			.containsExactly(request, request);
	}

	@Test
	void aHoldMayEndOnAnotherThread() throws InterruptedException {
		this.listener.onWaiting(this.request);
		this.listener.onAcquired(this.request, this.handle, TIME);
		Thread other = new Thread(() -> this.listener.onReleased(this.handle, TIME));
		other.start();
		other.join();
		assertThat(this.stopped).hasSize(2);
	}

	@Test
	void followsTheConventionOfTheApplication() {
		ObservationLockListener custom = new ObservationLockListener(this.registry, new LockObservationConvention() {

			@Override
			public String getName() {
				return "mine";
			}

			@Override
			public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
				return KeyValues.of("lock", context.request().id().name());
			}

		});
		custom.onWaiting(this.request);
		custom.onAcquired(this.request, this.handle, TIME);
		assertThat(this.stopped.get(0).getName()).isEqualTo("mine");
		assertThat(this.stopped.get(0).getLowCardinalityKeyValues()).extracting(KeyValue::getKey, KeyValue::getValue)
			.containsExactly(tag("lock", "orders"));
	}

	private static Tuple tag(String key, String value) {
		return tuple(key, value);
	}

}
