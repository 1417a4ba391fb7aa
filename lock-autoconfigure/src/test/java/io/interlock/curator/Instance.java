package io.interlock.curator;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.LockListener;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * One instance of an application, as far as locks are concerned: a client, a provider and
 * a template of its own.
 */
final class Instance implements AutoCloseable {

	static final String ROOT = "/interlock";

	private final CuratorFramework client;

	private final CuratorLockProvider provider;

	private final LockTemplate template;

	private final HeldLocks heldLocks = new HeldLocks();

	private Instance(CuratorFramework client, CuratorLockSettings settings, List<LockListener> listeners) {
		this(client, new CuratorLockProvider(client, settings), listeners);
	}

	private Instance(CuratorFramework client, CuratorLockProvider provider, List<LockListener> listeners) {
		this.client = client;
		this.provider = provider;
		this.template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks, listeners);
	}

	static Instance connectedTo(String connectString, LockListener... listeners) {
		return connectedTo(connectString, Duration.ofSeconds(30), listeners);
	}

	static Instance connectedTo(String connectString, Duration sessionTimeout, LockListener... listeners) {
		return with(connectString, sessionTimeout, settings(), listeners);
	}

	static Instance with(String connectString, Duration sessionTimeout, CuratorLockSettings settings,
			LockListener... listeners) {
		return new Instance(client(connectString, sessionTimeout), settings, List.of(listeners));
	}

	static Instance with(String connectString, CuratorLockSettings settings, IdleParents idleParents) {
		CuratorFramework client = client(connectString, Duration.ofSeconds(30));
		return new Instance(client, new CuratorLockProvider(client, settings, idleParents), List.of());
	}

	static Instance on(CuratorFramework client) {
		return new Instance(client, settings(), List.of());
	}

	static CuratorLockSettings settings() {
		return settings(Recipe.GUARDED, Map.of());
	}

	static CuratorLockSettings settings(Recipe recipe, Map<String, Peers> peers) {
		return new CuratorLockSettings(ROOT, "test@localhost:1", 1024, Duration.ofSeconds(1), Duration.ofSeconds(5),
				recipe, peers, WhenUnavailable.WAIT);
	}

	static CuratorFramework client(String connectString, Duration sessionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(2000)
			.retryPolicy(new ContenderRetryPolicy(new ExponentialBackoffRetry(50, 3)))
			.simulatedSessionExpirationPercent(33)
			.ensembleTracker(false)
			.build();
		client.start();
		return client;
	}

	CuratorFramework client() {
		return this.client;
	}

	CuratorLockProvider provider() {
		return this.provider;
	}

	LockTemplate template() {
		return this.template;
	}

	HeldLocks heldLocks() {
		return this.heldLocks;
	}

	@Override
	public void close() {
		this.provider.close();
		this.client.close();
	}

}
