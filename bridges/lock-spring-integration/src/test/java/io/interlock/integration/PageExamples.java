package io.interlock.integration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.template.LockOperations;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.store.MessageGroupStore;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The examples of {@code docs/migrating.md} for Spring Integration. They compile.
 */
final class PageExamples {

	private PageExamples() {
	}

	@Configuration(proxyBeanMethods = false)
	static class Flows {

		@Bean
		IntegrationFlow readings(LockRegistry<?> registry, MessageGroupStore store) {
			return (flow) -> flow.aggregate((aggregator) -> aggregator.lockRegistry(registry).messageStore(store))
				.channel("reports");
		}

		@Bean
		InterlockLockRegistry lockRegistry(LockOperations locks) {
			return new InterlockLockRegistry(locks,
					LockRequest.exclusive("orders-flow").withRelease(ReleasePolicy.AFTER_METHOD));
		}

		@Bean
		LockRegistryLeaderInitiator leaderInitiator(LockOperations locks, Candidate candidate) {
			LockRequest request = LockRequest.exclusive("leaders")
				.withOnLoss(LossPolicy.INTERRUPT)
				.withRelease(ReleasePolicy.AFTER_METHOD);
			return new LockRegistryLeaderInitiator(new InterlockLockRegistry(locks, request), candidate);
		}

	}

	static class Before {

		private final LockRegistry<?> registry;

		Before(LockRegistry<?> registry) {
			this.registry = registry;
		}

		void use(String sku) throws InterruptedException {
			Lock lock = this.registry.obtain(sku);
			if (!lock.tryLock(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Busy");
			}
			try {
				reserve(sku);
			}
			finally {
				lock.unlock();
			}
		}

		private void reserve(String sku) {
		}

	}

}
