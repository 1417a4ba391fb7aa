package io.interlock.metrics;

import java.util.Locale;
import java.util.function.Supplier;

import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.ZooKeeperSession;
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

	private final Supplier<ZooKeeperSession> session;

	/**
	 * Create a binder.
	 * @param session returns the session that the locks depend on, whenever a gauge is
	 * read
	 */
	public ZooKeeperLockMetrics(Supplier<ZooKeeperSession> session) {
		Assert.notNull(session, "'session' must not be null");
		this.session = session;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (State state : State.values()) {
			Gauge
				.builder("interlock.connection", this.session,
						(used) -> (used.get().session().state() == state) ? 1 : 0)
				.description("1 for the current state of the connection to the store of the locks")
				.tag("state", state.name().toLowerCase(Locale.ROOT))
				.register(registry);
		}
		Gauge.builder("interlock.releases.pending", this.session, (used) -> used.get().pendingReleases())
			.description("Releases that the store of the locks has not answered yet")
			.baseUnit("locks")
			.register(registry);
	}

}
