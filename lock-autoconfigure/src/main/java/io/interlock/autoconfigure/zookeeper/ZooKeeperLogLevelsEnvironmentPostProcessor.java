package io.interlock.autoconfigure.zookeeper;

import java.util.Map;

import io.interlock.autoconfigure.store.ClientLogLevelsEnvironmentPostProcessor;

/** The loggers of ZooKeeper's client, which names an unknown host at each attempt. */
class ZooKeeperLogLevelsEnvironmentPostProcessor extends ClientLogLevelsEnvironmentPostProcessor {

	ZooKeeperLogLevelsEnvironmentPostProcessor() {
		super("org.apache.zookeeper",
				Map.of("org.apache.zookeeper", "error", "org.apache.zookeeper.client.StaticHostProvider", "off"));
	}

}
