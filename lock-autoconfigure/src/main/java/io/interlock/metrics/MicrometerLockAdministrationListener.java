package io.interlock.metrics;

import java.util.List;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.util.Assert;

/**
 * Counts what operators do to locks in a {@link MeterRegistry}, with one counter for each
 * outcome, registered at once. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class MicrometerLockAdministrationListener implements LockAdministrator.Listener {

	private final MeterRegistry registry;

	/** Create a listener that counts in a registry. */
	public MicrometerLockAdministrationListener(MeterRegistry registry) {
		Assert.notNull(registry, "'registry' must not be null");
		this.registry = registry;
		List.of("released", "stale", "unavailable").forEach(this::releases);
		List.of("requested", "freed", "stale", "unavailable").forEach(this::requests);
	}

	@Override
	public void onReleased(LockRevoker.Target target, String requestedBy) {
		releases("released").increment();
	}

	@Override
	public void onNotReleased(LockId id, long token, String requestedBy, RuntimeException reason) {
		releases(outcome(reason)).increment();
	}

	@Override
	public void onRequested(LockRevoker.Target target, RevocationRequest request) {
		requests(target.freed() ? "freed" : "requested").increment();
	}

	@Override
	public void onNotRequested(LockId id, long token, RevocationRequest request, RuntimeException reason) {
		requests(outcome(reason)).increment();
	}

	private Counter releases(String outcome) {
		return counter("interlock.admin.releases", "Requests by operators to release a lock by force", outcome);
	}

	private Counter requests(String outcome) {
		return counter("interlock.admin.requests", "Requests by operators to give up a lock", outcome);
	}

	private Counter counter(String name, String description, String outcome) {
		return Counter.builder(name)
			.description(description)
			.baseUnit("locks")
			.tag("outcome", outcome)
			.register(this.registry);
	}

	private static String outcome(RuntimeException reason) {
		return (reason instanceof StaleTokenException) ? "stale" : "unavailable";
	}

}
