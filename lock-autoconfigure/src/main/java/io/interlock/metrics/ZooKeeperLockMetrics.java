package io.interlock.metrics;

import java.util.Locale;

import io.interlock.curator.CuratorLockProvider;
import io.interlock.curator.SessionSnapshot.State;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.util.Assert;

/**
 * What this instance knows of its connection to ZooKeeper, as gauges. Reading them asks
 * no server.
 *
 * @since 0.1.0
 */
public class ZooKeeperLockMetrics implements MeterBinder {

	private final CuratorLockProvider provider;

	/**
	 * Create a binder.
	 * @param provider where the locks come from
	 */
	public ZooKeeperLockMetrics(CuratorLockProvider provider) {
		Assert.notNull(provider, "'provider' must not be null");
		this.provider = provider;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (State state : State.values()) {
			Gauge.builder("interlock.connection", this.provider, (locks) -> (locks.session().state() == state) ? 1 : 0)
				.description("1 for the state that the connection to ZooKeeper is in")
				.tag("state", state.name().toLowerCase(Locale.ROOT))
				.register(registry);
		}
		Gauge.builder("interlock.releases.pending", this.provider, CuratorLockProvider::pendingReleases)
			.description("Releases that ZooKeeper has not answered yet")
			.baseUnit("locks")
			.register(registry);
		Gauge.builder("interlock.sequence.headroom", this.provider, CuratorLockProvider::sequenceHeadroom)
			.description("Sequence numbers that ZooKeeper has left for the lock with the fewest")
			.baseUnit("nodes")
			.register(registry);
	}

}
