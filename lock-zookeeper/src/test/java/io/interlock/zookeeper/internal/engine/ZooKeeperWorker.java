package io.interlock.zookeeper.internal.engine;

import java.time.Duration;

import io.interlock.testing.process.LockWorker;

/**
 * An instance in a JVM of its own, connected to the server at an address.
 */
final class ZooKeeperWorker {

	private ZooKeeperWorker() {
	}

	public static void main(String[] arguments) throws Exception {
		Instance instance = Instance.connectedTo(arguments[0], Duration.parse(arguments[1]));
		LockWorker.run(instance.provider(), new ZooKeeperCounter(instance.client()));
	}

}
