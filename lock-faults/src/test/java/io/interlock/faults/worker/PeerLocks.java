package io.interlock.faults.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.interlock.faults.check.Outcome;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;

/**
 * Plain Curator mutexes on the paths of Interlock: the other half of a mixed fleet. Since
 * Curator does not tell of losses, its holder asks a quorum for its node instead.
 */
final class PeerLocks implements Locks {

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
	public Answer acquire(String key, boolean shared, Duration wait) {
		Mutex mutex = new Mutex(this.client, InterlockLocks.ROOT + "/" + key);
		try {
			if (!mutex.acquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
				return Answer.without(Outcome.CONTENDED);
			}
			Hold hold = new Hold(this.client, mutex, mutex.path());
			if (hold.readToken()) {
				return Answer.acquired(hold);
			}
			hold.close();
			return Answer.without(Outcome.UNAVAILABLE);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Answer.without(Outcome.INTERRUPTED);
		}
		catch (Exception ex) {
			startAnew();
			return Answer.without(Outcome.UNAVAILABLE);
		}
	}

	/**
	 * After a failure the mutex may have left a node, at which its own client would wait
	 * for ever: end that session.
	 */
	private void startAnew() {
		CuratorFramework failed = this.client;
		this.client = this.clients.get();
		new Thread(failed::close, "failed").start();
	}

	@Override
	public CuratorFramework client() {
		return this.client;
	}

	@Override
	public int creating() {
		return 0;
	}

	@Override
	public int deleting() {
		return 0;
	}

	@Override
	public void close() {
		this.client.close();
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

	private static final class Hold implements Held {

		private final CuratorFramework client;

		private final Mutex mutex;

		private final String path;

		private long token;

		Hold(CuratorFramework client, Mutex mutex, String path) {
			this.client = client;
			this.mutex = mutex;
			this.path = path;
		}

		boolean readToken() {
			try {
				Stat stat = this.client.checkExists().forPath(this.path);
				this.token = (stat != null) ? stat.getCzxid() : 0;
			}
			catch (Exception ex) {
				this.token = 0;
			}
			return this.token != 0 && isValid();
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

		@Override
		public boolean isLost() {
			return false;
		}

		@Override
		public void close() {
			try {
				this.mutex.release();
			}
			catch (Exception ex) {
				// The guaranteed delete goes on, or the session ends it.
			}
		}

	}

}
