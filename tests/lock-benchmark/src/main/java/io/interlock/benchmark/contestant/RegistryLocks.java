package io.interlock.benchmark.contestant;

import java.util.concurrent.locks.Lock;

import org.apache.curator.framework.CuratorFramework;

import org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry;

/**
 * Spring Integration's registry, on its defaults.
 */
final class RegistryLocks extends JavaLocks {

	private final CuratorFramework client;

	private final ZookeeperLockRegistry registry;

	RegistryLocks(String connectString) {
		this.client = Clients.connect(connectString);
		this.registry = new ZookeeperLockRegistry(this.client, "/spring-integration");
	}

	@Override
	Lock lock(String key) {
		return this.registry.obtain(key);
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.client.close();
	}

}
