package io.interlock.metrics;

import java.util.Locale;
import java.util.function.Supplier;

import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseStoreSnapshot.State;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.util.Assert;

/**
 * Gauges for a store of leases, the same as {@link ZooKeeperLockMetrics} has for
 * ZooKeeper. Reading them does not block. A store that has not answered for a third of
 * the lease is asked in the background, and the answer shows when they are read again.
 *
 * @since 0.1.0
 */
public class LeaseLockMetrics implements MeterBinder {

	private final Supplier<LeaseLockProvider> provider;

	/**
	 * Create a binder.
	 * @param provider returns the provider, whenever a gauge is read
	 */
	public LeaseLockMetrics(Supplier<LeaseLockProvider> provider) {
		Assert.notNull(provider, "'provider' must not be null");
		this.provider = provider;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (State state : State.values()) {
			Gauge
				.builder("interlock.connection", this.provider,
						(used) -> (used.get().snapshot().state() == state) ? 1 : 0)
				.description("1 for the current state of the connection to the store of the locks")
				.tag("state", state.name().toLowerCase(Locale.ROOT))
				.register(registry);
		}
		Gauge.builder("interlock.releases.pending", this.provider, (used) -> used.get().pendingReleases())
			.description("Releases that the store of the locks has not answered yet")
			.baseUnit("locks")
			.register(registry);
	}

}
