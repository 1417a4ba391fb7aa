package io.interlock.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.interlock.lease.LeaseInspector;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseRevoker;
import io.interlock.lease.LeaseSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;

/** Instances on stores of leases, for {@link OperatorsContract}. */
public final class LeaseNodes {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private int started;

	/** Start an instance with a provider of the settings. */
	public OperatorsContract.Node start(Duration lease, Function<LeaseSettings, LeaseLockProvider> providers) {
		String instance = "shop@localhost:" + ++this.started;
		LeaseLockProvider provider = providers
			.apply(new LeaseSettings(instance, "shop", lease, Duration.ofMillis(20), PATIENCE, 4, false));
		HeldLocks heldLocks = new HeldLocks();
		provider.passRequestsOn(heldLocks::requestRevocation);
		LockTemplate template = new LockTemplate(new QueueingLockProvider(provider, OperatorsContract.QUEUES),
				new LockSettings(PATIENCE, Map.of(), PATIENCE, PATIENCE), heldLocks, List.of());
		return new OperatorsContract.Node(instance, template, heldLocks, new LeaseInspector(provider),
				new LeaseRevoker(provider, heldLocks::requestRevocation), provider::close);
	}

}
