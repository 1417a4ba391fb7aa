package io.interlock.metrics;

import java.util.Locale;
import java.util.function.Supplier;

import io.interlock.curator.CuratorLockProvider;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.util.Assert;

/**
 * Gauges for the connection to ZooKeeper, without I/O.
 *
 * @since 0.1.0
 */
public class ZooKeeperLockMetrics implements MeterBinder {

	private final Supplier<CuratorLockProvider> provider;

	/**
	 * Create a binder.
	 * @param provider returns the provider of the locks, whenever a gauge is read
	 */
	public ZooKeeperLockMetrics(Supplier<CuratorLockProvider> provider) {
		Assert.notNull(provider, "'provider' must not be null");
		this.provider = provider;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (State state : State.values()) {
			Gauge
				.builder("interlock.connection", this.provider,
						(locks) -> (locks.get().session().state() == state) ? 1 : 0)
				.description("1 for the current state of the connection to ZooKeeper")
				.tag("state", state.name().toLowerCase(Locale.ROOT))
				.register(registry);
		}
		Gauge.builder("interlock.releases.pending", this.provider, (locks) -> locks.get().pendingReleases())
			.description("Releases that ZooKeeper has not answered yet")
			.baseUnit("locks")
			.register(registry);
	}

}
