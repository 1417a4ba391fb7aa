package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.Map;

import io.interlock.provider.LockProvider;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * A client of its own and a lock provider on it, wired without a context, with the
 * defaults of the properties. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class InterlockClient implements AutoCloseable {

	private final CuratorFramework client;

	private final ZooKeeperLockProvider provider;

	/**
	 * Connect.
	 * @param connectString where to connect
	 */
	public InterlockClient(String connectString) {
		this.client = Clients.connect(connectString, new ExponentialBackoffRetry(100, 3));
		this.provider = new ZooKeeperLockProvider(this.client, new ZooKeeperLockSettings("/interlock", "benchmark",
				Duration.ofSeconds(5), Recipe.PIPELINED, Map.of(), false), new DefaultACLProvider(), null);
	}

	/**
	 * Return the provider.
	 * @return the provider, without a local queue before it
	 */
	public LockProvider provider() {
		return this.provider;
	}

	/**
	 * End the holds and the session.
	 */
	@Override
	public void close() {
		this.provider.close();
		this.client.close();
	}

}
