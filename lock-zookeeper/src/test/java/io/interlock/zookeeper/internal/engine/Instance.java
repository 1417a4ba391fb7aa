package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.LockListener;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.template.LockTime;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * One instance of an application, as far as locks are concerned: a client, a provider and
 * a template of its own.
 */
public final class Instance implements AutoCloseable {

	public static final String ROOT = "/interlock";

	/** How long a try and a release take at most: a machine may stand still. */
	public static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final QueueSettings NO_QUEUE = new QueueSettings(false, Map.of(), Duration.ZERO, 0, 1);

	private final CuratorFramework client;

	private final ZooKeeperLockProvider provider;

	private final LockTemplate template;

	private final List<LockListener> listeners;

	private final HeldLocks heldLocks;

	private final QueueingLockProvider queue;

	private Instance(CuratorFramework client, ZooKeeperLockSettings settings, QueueSettings queueSettings,
			List<LockListener> listeners) {
		this(client, new ZooKeeperLockProvider(client, settings, new DefaultACLProvider(), null), queueSettings,
				LockTime.system(), listeners);
	}

	private Instance(CuratorFramework client, ZooKeeperLockProvider provider, QueueSettings queueSettings,
			LockTime time, List<LockListener> listeners) {
		this.client = client;
		this.heldLocks = new HeldLocks(time);
		this.provider = provider;
		this.queue = new QueueingLockProvider(this.provider, queueSettings);
		this.listeners = listeners;
		this.template = template(PATIENCE);
	}

	/**
	 * Connect an instance whose threads queue among themselves, as they do by default.
	 * The others here do not, so that a test sees what each of its threads does.
	 */
	public static Instance queueing(String connectString, Duration sessionTimeout, QueueSettings queueSettings,
			LockListener... listeners) {
		return queueing(connectString, sessionTimeout, settings(), queueSettings, listeners);
	}

	/**
	 * Connect such an instance whose holds are measured by a time of the test.
	 */
	static Instance queueing(String connectString, LockTime time) {
		return queueing(connectString, settings(), time);
	}

	static Instance queueing(String connectString, ZooKeeperLockSettings settings, LockTime time) {
		CuratorFramework client = client(connectString, Duration.ofSeconds(30));
		return new Instance(client, new ZooKeeperLockProvider(client, settings, new DefaultACLProvider(), null),
				QueueSettings.defaults(), time, List.of());
	}

	static Instance queueing(String connectString, Duration sessionTimeout, ZooKeeperLockSettings settings,
			QueueSettings queueSettings, LockListener... listeners) {
		return new Instance(client(connectString, sessionTimeout), settings, queueSettings, List.of(listeners));
	}

	public static Instance connectedTo(String connectString, LockListener... listeners) {
		return connectedTo(connectString, Duration.ofSeconds(30), listeners);
	}

	static Instance connectedTo(String connectString, Duration sessionTimeout, LockListener... listeners) {
		return with(connectString, sessionTimeout, settings(), listeners);
	}

	static Instance with(String connectString, Duration sessionTimeout, ZooKeeperLockSettings settings,
			LockListener... listeners) {
		return new Instance(client(connectString, sessionTimeout), settings, NO_QUEUE, List.of(listeners));
	}

	static Instance with(String connectString, ZooKeeperLockSettings settings, IdleParents idleParents) {
		CuratorFramework client = client(connectString, Duration.ofSeconds(30));
		return new Instance(client, new ZooKeeperLockProvider(client, settings, null, null, idleParents), NO_QUEUE,
				LockTime.system(), List.of());
	}

	static Instance on(CuratorFramework client, LockListener... listeners) {
		return new Instance(client, new ZooKeeperLockProvider(client, settings(), null, null), NO_QUEUE,
				LockTime.system(), List.of(listeners));
	}

	static ZooKeeperLockSettings settings() {
		return settings(Recipe.PIPELINED, Map.of());
	}

	static ZooKeeperLockSettings settings(Recipe recipe, Map<String, Peers> peers) {
		return new ZooKeeperLockSettings(ROOT, "test@localhost:1", Duration.ofSeconds(5), recipe, peers, false);
	}

	public static CuratorFramework client(String connectString, Duration sessionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(2000)
			.retryPolicy(new ExponentialBackoffRetry(50, 3))
			.ensembleTracker(false)
			.build();
		client.start();
		return client;
	}

	public CuratorFramework client() {
		return this.client;
	}

	public ZooKeeperLockProvider provider() {
		return this.provider;
	}

	public QueueingLockProvider queue() {
		return this.queue;
	}

	public LockTemplate template() {
		return this.template;
	}

	/**
	 * Return a template with a bound of its own.
	 * @param bound how long a try and a release take at most
	 * @return a new template
	 */
	LockTemplate template(Duration bound) {
		return new LockTemplate(this.queue, new LockSettings(Duration.ofSeconds(10), Map.of(), bound, bound),
				this.heldLocks, this.listeners);
	}

	public HeldLocks heldLocks() {
		return this.heldLocks;
	}

	@Override
	public void close() {
		this.provider.close();
		this.client.close();
	}

}
