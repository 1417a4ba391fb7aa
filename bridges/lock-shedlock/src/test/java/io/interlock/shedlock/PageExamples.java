package io.interlock.shedlock;

import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.template.LockOperations;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * The examples of {@code docs/migrating.md} and {@code docs/migrating.md} for ShedLock.
 * They compile.
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

	static class Before {

		private final Accounts accounts;

		Before(Accounts accounts) {
			this.accounts = accounts;
		}

		@Scheduled(cron = "0 0 3 * * *")
		@SchedulerLock(name = "settlement", lockAtMostFor = "30m", lockAtLeastFor = "30s")
		public void settle() {
			LockAssert.assertLocked();
			this.accounts.settle();
		}

	}

	interface Accounts {

		void settle();

	}

}
