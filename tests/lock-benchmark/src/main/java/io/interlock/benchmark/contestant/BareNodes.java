package io.interlock.benchmark.contestant;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;

/**
 * A node is created and deleted, and the queue is not read: no lock, but the two writes
 * without which there is none.
 */
final class BareNodes implements Locks {

	private static final byte[] DATA = new byte[200];

	private final CuratorFramework client;

	BareNodes(String connectString) {
		this.client = Clients.connect(connectString);
	}

	@Override
	public void exclusively(String key, Runnable body) throws Exception {
		String node = this.client.create()
			.creatingParentContainersIfNeeded()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.forPath("/bare/" + key + "/node-", DATA);
		body.run();
		this.client.delete().forPath(node);
	}

	@Override
	public boolean tryExclusively(String key, Runnable body) throws Exception {
		exclusively(key, body);
		return true;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
