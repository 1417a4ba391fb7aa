package io.interlock.page.store;

import java.time.Clock;
import java.time.Duration;

import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.provider.LockProvider;
import io.interlock.test.contract.LockProviderContract;
import io.interlock.testsupport.tier.Deep;

/**
 * The contract as an application runs it, in real time.
 */
@Deep
class MapStoreTests extends LockProviderContract {

	private final MapLeaseStore store = new MapLeaseStore(Clock.systemUTC());

	@Override
	protected LockProvider startInstance() {
		return new LeaseLockProvider(this.store,
				new LeaseSettings("test", lease(), Duration.ofMillis(5), Duration.ofSeconds(5), 2, false));
	}

	@Override
	protected Duration lease() {
		return Duration.ofSeconds(2);
	}

}
