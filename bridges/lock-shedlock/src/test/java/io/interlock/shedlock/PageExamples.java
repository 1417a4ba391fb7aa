package io.interlock.shedlock;

import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.template.LockOperations;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The example of {@code docs/migrating.md} for ShedLock. It compiles.
 */
final class PageExamples {

	private PageExamples() {
	}

	@Configuration(proxyBeanMethods = false)
	static class Locks {

		@Bean
		InterlockLockProvider lockProvider(LockOperations locks) {
			return new InterlockLockProvider(locks, LockRequest.exclusive("shedlock").withOnLoss(LossPolicy.INTERRUPT));
		}

	}

}
