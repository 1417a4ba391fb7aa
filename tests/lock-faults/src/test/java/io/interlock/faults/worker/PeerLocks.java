package io.interlock.faults.worker;

import java.time.Duration;
import java.util.function.Supplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock.ReadLock;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock.WriteLock;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Plain Curator locks on the paths of Interlock, mutexes on one of them and a read/write
 * lock on the other: the other half of mixed fleets. Since Curator does not tell of
 * losses, their holder asks a quorum for its node instead.
 * <p>
 * They are used as Curator wants it, and leave no node before those that come later. The
 * thread that has acquired a lock releases it: on another one {@code release} throws
 * before it deletes, and the node stays for as long as its session (CURATOR-347,
 * apache/curator#867). A client whose {@code acquire} has failed is closed.
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
		try {
			return hold(client, key, shared, wait);
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			replace(client);
			throw ex;
		}
	}

	private static @Nullable Held hold(CuratorFramework client, String key, boolean shared, Duration wait)
			throws Exception {
		String path = InterlockLocks.ROOT + "/" + key;
		if (!key.equals(Workload.READ_WRITE_PEERS_KEY)) {
			Mutex mutex = new Mutex(client, path);
			return acquire(mutex, wait) ? new VerifiedHold(client, mutex, mutex.path()) : null;
		}
		InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path);
		if (shared) {
			ReadLock reader = lock.readLock();
			return acquire(reader, wait) ? new VerifiedHold(client, reader, reader.getLockPath()) : null;
		}
		WriteLock writer = lock.writeLock();
		return acquire(writer, wait) ? new VerifiedHold(client, writer, writer.getLockPath()) : null;
	}

	/**
	 * After a failure the mutex may have left a node, at which its own client would wait
	 * for ever: end that session. Another thread may have replaced the client already.
	 */
	private synchronized void replace(CuratorFramework failed) {
		if (this.client == failed) {
			this.client = this.clients.get();
			new Thread(failed::close, "failed").start();
		}
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

		VerifiedHold(CuratorFramework client, InterProcessMutex mutex, String path) throws Exception {
			super(mutex);
			this.client = client;
			this.path = path;
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
