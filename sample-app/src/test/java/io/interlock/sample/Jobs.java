package io.interlock.sample;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.template.LockTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the box office itself has not: jobs that one instance runs, and locks of a named
 * provider. Without an annotation, or the scan of each box office would find them.
 */
class Jobs {

	/** The property that adds the named provider, in the database of the box office. */
	static final String BILLING = "--interlock.providers.billing.provider=jdbc";

	/** Run each job once. */
	static void runAll(RunningBoxOffice boxOffice) {
		Jobs jobs = boxOffice.bean(Jobs.class);
		jobs.report();
		assertThatIllegalStateException().isThrownBy(jobs::invoices);
	}

	@DistributedLock(name = "report", onContention = ContentionPolicy.SKIP)
	void report() {
	}

	@DistributedLock(name = "invoices", onContention = ContentionPolicy.SKIP)
	void invoices() {
		throw new IllegalStateException("The printers are down");
	}

	/**
	 * Jobs and locks of the named provider.
	 */
	static class OfBilling {

		/** Run each job once, and have a lock granted and refused. */
		static void runAll(RunningBoxOffice boxOffice) {
			OfBilling jobs = boxOffice.bean(OfBilling.class);
			jobs.report();
			assertThatIllegalStateException().isThrownBy(jobs::invoices);
			LockTemplate template = boxOffice.bean(LockTemplate.class);
			LockRequest request = LockRequest.exclusive("stock").withProvider("billing");
			try (LockHandle held = template.acquire(request)) {
				CompletableFuture
					.runAsync(() -> template.tryAcquire(request.withWaitTime(Duration.ofMillis(20)))
						.ifPresent(LockHandle::close))
					.join();
				assertThat(held.isValid()).isTrue();
			}
		}

		@DistributedLock(name = "report", provider = "billing", onContention = ContentionPolicy.SKIP)
		void report() {
		}

		@DistributedLock(name = "invoices", provider = "billing", onContention = ContentionPolicy.SKIP)
		void invoices() {
			throw new IllegalStateException("The printers are down");
		}

	}

}
