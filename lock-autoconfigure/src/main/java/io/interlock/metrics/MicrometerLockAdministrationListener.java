package io.interlock.metrics;

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

	private final Outcomes releases;

	private final Outcomes requests;

	/**
	 * Create a listener.
	 * @param registry registry of the meters
	 */
	public MicrometerLockAdministrationListener(MeterRegistry registry) {
		Assert.notNull(registry, "'registry' must not be null");
		this.releases = new Outcomes(registry, "interlock.admin.releases",
				"Locks that an operator asked to release by force", "released");
		this.requests = new Outcomes(registry, "interlock.admin.requests",
				"Locks that an operator asked holders to give up", "requested");
	}

	@Override
	public void onReleased(LockRevoker.Target target, String requestedBy) {
		this.releases.done().increment();
	}

	@Override
	public void onNotReleased(LockId id, long token, String requestedBy, RuntimeException reason) {
		this.releases.failed(reason);
	}

	@Override
	public void onRequested(LockRevoker.Target target, RevocationRequest request) {
		this.requests.done().increment();
	}

	@Override
	public void onNotRequested(LockId id, long token, RevocationRequest request, RuntimeException reason) {
		this.requests.failed(reason);
	}

	private record Outcomes(Counter done, Counter stale, Counter unavailable) {

		Outcomes(MeterRegistry registry, String name, String description, String done) {
			this(counter(registry, name, description, done), counter(registry, name, description, "stale"),
					counter(registry, name, description, "unavailable"));
		}

		private static Counter counter(MeterRegistry registry, String name, String description, String outcome) {
			return Counter.builder(name)
				.description(description)
				.baseUnit("locks")
				.tag("outcome", outcome)
				.register(registry);
		}

		void failed(RuntimeException reason) {
			((reason instanceof StaleTokenException) ? this.stale : this.unavailable).increment();
		}

	}

}
