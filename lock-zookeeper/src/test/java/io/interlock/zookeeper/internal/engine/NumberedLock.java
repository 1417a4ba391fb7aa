package io.interlock.zookeeper.internal.engine;

import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * The lock of ZooKeeper's recipes as people write it by hand: nodes without a random
 * part, in the order of the ten digits at the end of every child. Its parent is made
 * once. Serves one thread.
 */
final class NumberedLock implements InterProcessLock {

	private static final int DIGITS = 10;

	private final CuratorFramework client;

	private final String path;

	private final String prefix;

	private @Nullable String node;

	NumberedLock(CuratorFramework client, String path, String prefix) throws Exception {
		this.client = client;
		this.path = path;
		this.prefix = prefix;
		client.createContainers(path);
	}

	@Override
	public void acquire() throws Exception {
		if (!acquire(60, TimeUnit.SECONDS)) {
			throw new IllegalStateException("No turn within a minute");
		}
	}

	@Override
	public boolean acquire(long time, TimeUnit unit) throws Exception {
		String made = this.client.create()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.forPath(this.path + "/" + this.prefix);
		this.node = made;
		for (String before = before(number(made)); before != null; before = before(number(made))) {
			CountDownLatch changed = new CountDownLatch(1);
			if (this.client.checkExists()
				.usingWatcher((Watcher) (event) -> changed.countDown())
				.forPath(this.path + "/" + before) != null && !changed.await(time, unit)) {
				return false;
			}
		}
		return true;
	}

	private @Nullable String before(String number) throws Exception {
		return this.client.getChildren()
			.forPath(this.path)
			.stream()
			.filter((name) -> number(name).compareTo(number) < 0)
			.max(Comparator.comparing(NumberedLock::number))
			.orElse(null);
	}

	private static String number(String name) {
		return name.substring(name.length() - DIGITS);
	}

	@Override
	public void release() throws Exception {
		this.client.delete().forPath(this.node);
		this.node = null;
	}

	@Override
	public boolean isAcquiredInThisProcess() {
		return this.node != null;
	}

}
