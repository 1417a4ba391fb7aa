package io.interlock.faults.worker;

import java.time.Duration;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Plain Curator mutexes on the paths of Interlock: the other half of a mixed fleet. Since
 * Curator does not tell of losses, its holder asks a quorum for its node instead.
 */
final class PeerLocks extends CuratorLocks {

	private final Supplier<CuratorFramework> clients;

	private volatile CuratorFramework client;

	PeerLocks(String connectString, Duration sessionTimeout) {
		this.clients = () -> connect(connectString, sessionTimeout);
		this.client = this.clients.get();
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

	@Override
	@Nullable Held hold(String key, boolean shared, Duration wait) throws Exception {
		CuratorFramework client = this.client;
		Mutex mutex = new Mutex(client, InterlockLocks.ROOT + "/" + key);
		return acquire(mutex, wait) ? new VerifiedHold(client, mutex) : null;
	}

	/**
	 * After a failure the mutex may have left a node, at which its own client would wait
	 * for ever: end that session.
	 */
	@Override
	void failed() {
		CuratorFramework failed = this.client;
		this.client = this.clients.get();
		new Thread(failed::close, "failed").start();
	}

	@Override
	public CuratorFramework client() {
		return this.client;
	}

	/**
	 * Says where its node is.
	 */
	private static final class Mutex extends InterProcessMutex {

		Mutex(CuratorFramework client, String path) {
			super(client, path);
		}

		String path() {
			return getLockPath();
		}

	}

	private static final class VerifiedHold extends Hold {

		private final CuratorFramework client;

		private final String path;

		private final long token;

		VerifiedHold(CuratorFramework client, Mutex mutex) throws Exception {
			super(mutex);
			this.client = client;
			this.path = mutex.path();
			Stat stat = client.checkExists().forPath(this.path);
			if (stat == null || !isValid()) {
				throw new IllegalStateException("Lost right after the grant: " + this.path);
			}
			this.token = stat.getCzxid();
		}

		@Override
		public long token() {
			return this.token;
		}

		@Override
		public boolean isValid() {
			try {
				this.client.transaction().forOperations(this.client.transactionOp().check().forPath(this.path));
				return true;
			}
			catch (Exception ex) {
				return false;
			}
		}

	}

}
