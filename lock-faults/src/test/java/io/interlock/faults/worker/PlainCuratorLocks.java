package io.interlock.faults.worker;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.interlock.faults.check.Outcome;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's locks the way its users use them: one re-entrant object for each key, kept
 * and shared by all threads, on default settings.
 */
public final class PlainCuratorLocks implements Locks {

	private static final Duration LONGEST_WAIT = Duration.ofHours(1);

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
	public Answer acquire(String key, boolean shared, Duration wait) {
		InterProcessMutex lock = lock(key, shared);
		long millis = ((wait.compareTo(LONGEST_WAIT) < 0) ? wait : LONGEST_WAIT).toMillis();
		try {
			return lock.acquire(millis, TimeUnit.MILLISECONDS) ? Answer.acquired(new Hold(lock))
					: Answer.without(Outcome.CONTENDED);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Answer.without(Outcome.INTERRUPTED);
		}
		catch (Exception ex) {
			return Answer.without(Outcome.UNAVAILABLE);
		}
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
	 * A hold without a token, of which Curator says for how long it lasts.
	 */
	private record Hold(InterProcessMutex lock) implements Held {

		@Override
		public long token() {
			return 0;
		}

		@Override
		public boolean isValid() {
			return this.lock.isOwnedByCurrentThread();
		}

		@Override
		public boolean isLost() {
			return false;
		}

		@Override
		public void close() {
			try {
				this.lock.release();
			}
			catch (Exception ex) {
				// What its users do too: the session will end it.
			}
		}

	}

}
