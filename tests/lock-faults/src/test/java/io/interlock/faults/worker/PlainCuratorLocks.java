package io.interlock.faults.worker;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/**
 * Curator's locks the way its users use them: one re-entrant object for each key, kept
 * and shared by all threads, on default settings.
 */
public final class PlainCuratorLocks extends CuratorLocks {

	private final CuratorFramework client;

	private final Map<String, InterProcessReadWriteLock> readWriteLocks = new ConcurrentHashMap<>();

	private final Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();

	/**
	 * Start a client.
	 * @param connectString where to connect
	 * @param sessionTimeout session timeout to ask for
	 */
	public PlainCuratorLocks(String connectString, Duration sessionTimeout) {
		this.client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.retryPolicy(new ExponentialBackoffRetry(1000, 3))
			.build();
		this.client.start();
	}

	@Override
	@Nullable Held hold(String key, boolean shared, Duration wait) throws Exception {
		InterProcessMutex lock = lock(key, shared);
		return acquire(lock, wait) ? new Hold(lock) : null;
	}

	private InterProcessMutex lock(String key, boolean shared) {
		String path = "/plain/" + key;
		if (!key.startsWith(Workload.READ_WRITE_KEY)) {
			return this.mutexes.computeIfAbsent(key, (name) -> new InterProcessMutex(this.client, path));
		}
		InterProcessReadWriteLock locks = this.readWriteLocks.computeIfAbsent(key,
				(name) -> new InterProcessReadWriteLock(this.client, path));
		return shared ? locks.readLock() : locks.writeLock();
	}

	@Override
	public CuratorFramework client() {
		return this.client;
	}

}
