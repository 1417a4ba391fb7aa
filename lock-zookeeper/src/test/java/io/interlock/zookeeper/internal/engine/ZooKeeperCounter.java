package io.interlock.zookeeper.internal.engine;

import java.nio.charset.StandardCharsets;

import io.interlock.testing.process.SharedCounter;
import org.apache.curator.framework.CuratorFramework;

/**
 * A counter in the data of a node.
 */
final class ZooKeeperCounter implements SharedCounter {

	private static final String PATH = "/counter";

	private final CuratorFramework client;

	ZooKeeperCounter(CuratorFramework client) {
		this.client = client;
	}

	@Override
	public int read() throws Exception {
		return Integer.parseInt(new String(this.client.getData().forPath(PATH), StandardCharsets.UTF_8));
	}

	@Override
	public void write(int value) throws Exception {
		this.client.create().orSetData().forPath(PATH, Integer.toString(value).getBytes(StandardCharsets.UTF_8));
	}

}
