package io.interlock.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.store.MessageGroup;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.PassThruLockRegistry;
import org.springframework.messaging.MessageChannel;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests an aggregator whose groups are filled by two instances. Its store is shared by
 * both and has no locks of its own, as one in a database.
 */
@Timeout(120)
class AggregatorTests {

	private static final int GROUPS = 10;

	private static final int GROUP_SIZE = 20;

	private static final SharedStore store = new SharedStore();

	@Test
	void groupsThatTwoInstancesFillAreReleasedOnceAndWhole() throws Exception {
		try (Instances instances = new Instances()) {
			ConfigurableApplicationContext first = instances.start(Application.class);
			ConfigurableApplicationContext second = instances.start(Application.class);
			CyclicBarrier start = new CyclicBarrier(4);
			List<Background<?>> senders = new ArrayList<>();
			for (int sender = 0; sender < 4; sender++) {
				int offset = sender;
				senders.add(Background.start(sending((sender % 2 == 0) ? first : second, start, offset)));
			}
			for (Background<?> sender : senders) {
				sender.joinWithin(Duration.ofMinutes(1));
			}
		}
		assertThat(store.meetings).as("two threads at one group").hasValue(0);
		assertThat(store.released).hasSize(GROUPS).allSatisfy((group) -> assertThat(group).hasSize(GROUP_SIZE));
	}

	private static Callable<Boolean> sending(ConfigurableApplicationContext instance, CyclicBarrier start, int offset) {
		MessageChannel input = instance.getBean("readings.input", MessageChannel.class);
		return () -> {
			start.await(30, TimeUnit.SECONDS);
			for (int number = offset; number < GROUPS * GROUP_SIZE; number += 4) {
				input.send(MessageBuilder.withPayload(number).setCorrelationId("group-" + number / GROUP_SIZE).build());
			}
			return true;
		};
	}

	/**
	 * What both instances see, as they would in a database.
	 */
	private static final class SharedStore {

		private final SimpleMessageStore messages = new SimpleMessageStore(0, 0, new PassThruLockRegistry());

		private final Map<Object, AtomicInteger> inside = new ConcurrentHashMap<>();

		private final AtomicInteger meetings = new AtomicInteger();

		private final List<List<?>> released = new ArrayList<>();

		boolean isWhole(MessageGroup group) {
			AtomicInteger threads = this.inside.computeIfAbsent(group.getGroupId(), (id) -> new AtomicInteger());
			if (threads.incrementAndGet() > 1) {
				this.meetings.incrementAndGet();
			}
			Spin.upTo(200_000);
			boolean whole = group.size() == GROUP_SIZE;
			threads.decrementAndGet();
			return whole;
		}

		synchronized void release(List<?> payloads) {
			this.released.add(payloads);
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@EnableIntegration
	static class Application {

		@Bean
		IntegrationFlow readings(LockRegistry<?> registry) {
			return (flow) -> flow
				.aggregate((aggregator) -> aggregator.lockRegistry(registry)
					.messageStore(store.messages)
					.releaseStrategy(store::isWhole)
					.expireGroupsUponCompletion(true))
				.handle((message) -> store.release((List<?>) message.getPayload()));
		}

	}

}
