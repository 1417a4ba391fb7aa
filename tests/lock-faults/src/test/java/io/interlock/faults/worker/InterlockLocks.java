package io.interlock.faults.worker;

import java.time.Duration;
import java.util.Map;

import io.interlock.queue.QueueSettings;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/**
 * Interlock on ZooKeeper as an application has it: a client, a provider and a template.
 */
public final class InterlockLocks extends TemplateLocks {

	static final String ROOT = "/interlock";

	/**
	 * How many writes of a session may be under way, if it is not as many as usual: with
	 * one, most writes travel together.
	 */
	static final String WRITES_UNDER_WAY = "faults.writes";

	private final CuratorFramework client;

	private final ZooKeeperLockProvider provider;

	/**
	 * Start a client.
	 * @param connectString where to connect
	 * @param sessionTimeout session timeout to ask for
	 * @param queue how its threads queue among themselves
	 */
	public InterlockLocks(String connectString, Duration sessionTimeout, QueueSettings queue) {
		this(System.nanoTime(), connect(connectString, sessionTimeout), new DefaultACLProvider(), queue);
	}

	/**
	 * Use a client of somebody else.
	 * @param client a client that was started; it is closed together with this
	 * @param queue how its threads queue among themselves
	 */
	public InterlockLocks(CuratorFramework client, QueueSettings queue) {
		this(null, client, null, queue);
	}

	private InterlockLocks(@Nullable Long startedAt, CuratorFramework client, @Nullable ACLProvider acl,
			QueueSettings queue) {
		this(client, new ZooKeeperLockProvider(client, settings(), acl, startedAt), queue);
	}

	private static ZooKeeperLockSettings settings() {
		ZooKeeperLockSettings settings = new ZooKeeperLockSettings(ROOT, "worker", Duration.ofSeconds(5),
				Recipe.PIPELINED, Map.of(Workload.READ_WRITE_PEERS_KEY, Peers.READ_WRITE), false);
		Integer writes = Integer.getInteger(WRITES_UNDER_WAY);
		return (writes != null) ? settings.withWritesUnderWay(writes) : settings;
	}

	private InterlockLocks(CuratorFramework client, ZooKeeperLockProvider provider, QueueSettings queue) {
		super(provider, queue);
		this.client = client;
		this.provider = provider;
	}

	private static CuratorFramework connect(String connectString, Duration sessionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(2000)
			.retryPolicy(new ExponentialBackoffRetry(100, 3))
			.ensembleTracker(false)
			.build();
		client.start();
		return client;
	}

	/**
	 * Acquire a lock and release it at once.
	 * @return how the attempt ended, and how many nanoseconds that took
	 */
	String acquireAndRelease(String key, Duration wait) {
		long before = System.nanoTime();
		Answer answer = acquire(key, false, wait);
		long after = System.nanoTime();
		Held acquired = answer.held();
		if (acquired != null) {
			acquired.close();
		}
		return answer.outcome() + " " + (after - before);
	}

	@Override
	public CuratorFramework client() {
		return this.client;
	}

	@Override
	public int deleting() {
		return this.provider.pendingReleases();
	}

	@Override
	public void close() {
		stopHolding();
		this.provider.close();
		this.client.close();
	}

}
