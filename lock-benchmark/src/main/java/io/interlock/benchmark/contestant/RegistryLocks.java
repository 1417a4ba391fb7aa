package io.interlock.benchmark.contestant;

import java.util.concurrent.locks.Lock;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.ExponentialBackoffRetry;

import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/**
 * Spring Integration's registry, on its defaults.
 */
final class RegistryLocks implements Locks {

	private final CuratorFramework client;

	private final ZookeeperLockRegistry registry;

	RegistryLocks(String connectString) {
		this.client = Clients.connect(connectString, new ExponentialBackoffRetry(1000, 3));
		this.registry = new ZookeeperLockRegistry(this.client, "/spring-integration");
	}

	@Override
	public void exclusively(String key, Runnable body) {
		Lock lock = this.registry.obtain(key);
		lock.lock();
		runAndUnlock(lock, body);
	}

	@Override
	public boolean tryExclusively(String key, Runnable body) {
		Lock lock = this.registry.obtain(key);
		if (!lock.tryLock()) {
			return false;
		}
		runAndUnlock(lock, body);
		return true;
	}

	private static void runAndUnlock(Lock lock, Runnable body) {
		try {
			body.run();
		}
		finally {
			lock.unlock();
		}
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.client.close();
	}

}
