package io.interlock.page.store;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseTime;
import io.interlock.provider.LockProvider;
import io.interlock.test.contract.LockProviderContract;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;

/**
 * The contract for a store of one's own, whose clock is moved with that of the instances.
 */
class MapLockProviderContractTests extends LockProviderContract {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore(() -> Instant.EPOCH.plusNanos(this.time.nanoTime()));

	@AfterEach
	void close() {
		this.time.close();
	}

	@Override
	protected LockProvider startInstance() {
		return new LeaseLockProvider(this.store,
				new LeaseSettings("test", LEASE, Duration.ofMillis(5), Duration.ofSeconds(5), 2, false),
				new MovedLeaseTime(this.time));
	}

	@Override
	protected Duration lease() {
		return LEASE;
	}

	@Override
	protected void passTime(Duration time) {
		this.time.advance(time, LEASE.dividedBy(50));
	}

	private record MovedLeaseTime(MovedTime time) implements LeaseTime {

		@Override
		public long nanoTime() {
			return this.time.nanoTime();
		}

		@Override
		public Future<?> schedule(Runnable task, long nanos) {
			return this.time.schedule(task, nanos);
		}

		@Override
		public ExecutorService threads(int size) {
			return this.time.threads("interlock-worker-", size);
		}

	}

}
