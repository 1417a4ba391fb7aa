package io.interlock.lease;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * How {@link LeaseLockProvider} behaves.
 *
 * @param instanceId identifier of this instance, for operators
 * @param application name of the application, for operators; empty if it has none
 * @param lease length of a lease: after a crash, the locks of an instance are free when
 * it is over
 * @param pollInterval time between two questions of an attempt that waits; it grows up to
 * a second behind a holder that stays
 * @param verifyTimeout how long a verification may take
 * @param threads how many threads may ask the store for locks at once
 * @param failFast whether an attempt fails as soon as the store does not answer, instead
 * of asking again
 * @since 0.1.0
 */
public record LeaseSettings(String instanceId, String application, Duration lease, Duration pollInterval,
		Duration verifyTimeout, int threads, boolean failFast) {

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(500);

	public LeaseSettings {
		Assert.hasText(instanceId, "'instanceId' must not be empty");
		Assert.notNull(application, "'application' must not be null");
		Assert.isTrue(lease.compareTo(SHORTEST_LEASE) >= 0,
				() -> "'lease' must be at least %s: %s".formatted(SHORTEST_LEASE, lease));
		Assert.isTrue(pollInterval.toMillis() > 0, () -> "'pollInterval' must be positive: " + pollInterval);
		Assert.isTrue(verifyTimeout.toMillis() > 0, () -> "'verifyTimeout' must be positive: " + verifyTimeout);
		Assert.isTrue(threads > 0, () -> "'threads' must be positive: " + threads);
	}

	/** Create settings of an application without a name. */
	public LeaseSettings(String instanceId, Duration lease, Duration pollInterval, Duration verifyTimeout, int threads,
			boolean failFast) {
		this(instanceId, "", lease, pollInterval, verifyTimeout, threads, failFast);
	}

}
