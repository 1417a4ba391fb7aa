package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.event.EventPublishingLockListener;
import io.interlock.event.LockEvent;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for the events of {@link InterlockAutoConfiguration}.
 */
class LockEventsTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
		.withPropertyValues("interlock.logging.mdc=false");

	private final LockHandle handle = mock(LockHandle.class);

	@Test
	void publishesToListenersOfAllEvents() {
		this.contextRunner.withBean(AllEvents.class).run((context) -> {
			LockListener listener = context.getBean(EventPublishingLockListener.class);
			listener.onLost(this.handle);
			listener.onReleased(this.handle, Duration.ZERO);
			assertThat(context.getBean(AllEvents.class).events).containsExactly(new LockEvent.Lost(this.handle),
					new LockEvent.Released(this.handle, Duration.ZERO));
		});
	}

	@Test
	void publishesToListenersOfOneEvent() {
		this.contextRunner.withBean(LossEvents.class).run((context) -> {
			LockListener listener = context.getBean(EventPublishingLockListener.class);
			listener.onAcquired(LockRequest.exclusive("orders"), this.handle, Duration.ZERO);
			listener.onLost(this.handle);
			assertThat(context.getBean(LossEvents.class).events).containsExactly(new LockEvent.Lost(this.handle));
		});
	}

	@Test
	void closingTheHandleOfAnEventEndsNoHold() {
		this.contextRunner.withPropertyValues("interlock.provider=memory")
			.withBean(ClosingEvents.class)
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				try (LockHandle lock = template.acquire(LockRequest.exclusive("orders"))) {
					assertThat(context.getBean(ClosingEvents.class).closed).isEqualTo(1);
					assertThat(lock.isValid()).isTrue();
					assertThat(
							CompletableFuture.supplyAsync(() -> template.tryAcquire(LockRequest.exclusive("orders"))))
						.succeedsWithin(Duration.ofSeconds(10))
						.isEqualTo(Optional.empty());
				}
			});
	}

	@Test
	void publishesQuietlyAfterTheContextIsClosed() {
		this.contextRunner.withBean(AllEvents.class).run((context) -> {
			LockListener listener = context.getBean(EventPublishingLockListener.class);
			AllEvents received = context.getBean(AllEvents.class);
			context.getSourceApplicationContext().close();
			listener.onReleased(this.handle, Duration.ZERO);
			assertThat(received.events).isEmpty();
		});
	}

	@Test
	void backsOffIfThereIsAPublisherAlready() {
		EventPublishingLockListener custom = new EventPublishingLockListener((event) -> {
		});
		this.contextRunner.withBean("custom", EventPublishingLockListener.class, () -> custom)
			.run((context) -> assertThat(context).getBean(EventPublishingLockListener.class).isSameAs(custom));
	}

	static class AllEvents {

		private final List<LockEvent> events = new ArrayList<>();

		@EventListener
		void on(LockEvent event) {
			this.events.add(event);
		}

	}

	static class ClosingEvents {

		private int closed;

		@EventListener
		void on(LockEvent.Held event) {
			event.handle().close();
			this.closed++;
		}

	}

	static class LossEvents {

		private final List<LockEvent.Lost> events = new ArrayList<>();

		@EventListener
		void on(LockEvent.Lost event) {
			this.events.add(event);
		}

	}

}
