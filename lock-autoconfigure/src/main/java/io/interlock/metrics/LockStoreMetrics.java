package io.interlock.metrics;

import java.util.Locale;
import java.util.function.Supplier;

import io.interlock.lease.LeaseStoreSnapshot.State;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Gauges for the connection to the store of the locks, without I/O.
 *
 * @since 0.1.0
 */
public class LockStoreMetrics implements MeterBinder {

	private final Tags tags;

	private final Supplier<? extends Enum<?>> state;

	private final Supplier<Integer> pendingReleases;

	/** Create a binder for a state and a number, got whenever a gauge is read. */
	public LockStoreMetrics(Supplier<? extends Enum<?>> state, Supplier<Integer> pendingReleases) {
		this(null, state, pendingReleases);
	}

	/** Create a binder for a named provider, or for the default one. */
	public LockStoreMetrics(@Nullable String provider, Supplier<? extends Enum<?>> state,
			Supplier<Integer> pendingReleases) {
		Assert.notNull(state, "'state' must not be null");
		Assert.notNull(pendingReleases, "'pendingReleases' must not be null");
		this.tags = tagsOf(provider);
		this.state = state;
		this.pendingReleases = pendingReleases;
	}

	/** Return the tag of a named provider; the default one has none. */
	static Tags tagsOf(@Nullable String provider) {
		return (provider != null) ? Tags.of("provider", provider) : Tags.empty();
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (State each : State.values()) {
			Gauge.builder("interlock.connection", () -> this.state.get().name().equals(each.name()) ? 1 : 0)
				.description("1 for the current state of the connection to the store of the locks")
				.tags(this.tags)
				.tag("state", each.name().toLowerCase(Locale.ROOT))
				.register(registry);
		}
		Gauge.builder("interlock.releases.pending", this.pendingReleases::get)
			.description("Releases that the store of the locks has not confirmed yet")
			.baseUnit("locks")
			.tags(this.tags)
			.register(registry);
	}

}
