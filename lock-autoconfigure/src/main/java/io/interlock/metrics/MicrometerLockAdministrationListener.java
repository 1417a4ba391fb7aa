package io.interlock.metrics;

import io.interlock.LockId;
import io.interlock.admin.LockAdministrationListener;
import io.interlock.admin.ReleasedNode;
import io.interlock.admin.StaleTokenException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.util.Assert;

/**
 * Counts what operators do to locks in a {@link MeterRegistry}: one counter for each
 * outcome, there from the start. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class MicrometerLockAdministrationListener implements LockAdministrationListener {

	private final Counter released;

	private final Counter stale;

	private final Counter unavailable;

	/**
	 * Create a listener.
	 * @param registry where the meters are registered
	 */
	public MicrometerLockAdministrationListener(MeterRegistry registry) {
		Assert.notNull(registry, "'registry' must not be null");
		this.released = counter(registry, "released");
		this.stale = counter(registry, "stale");
		this.unavailable = counter(registry, "unavailable");
	}

	private static Counter counter(MeterRegistry registry, String outcome) {
		return Counter.builder("interlock.admin.releases")
			.description("Locks that an operator asked to release by force")
			.baseUnit("locks")
			.tag("outcome", outcome)
			.register(registry);
	}

	@Override
	public void onReleased(ReleasedNode node, String requestedBy) {
		this.released.increment();
	}

	@Override
	public void onNotReleased(LockId id, long token, String requestedBy, RuntimeException reason) {
		((reason instanceof StaleTokenException) ? this.stale : this.unavailable).increment();
	}

}
