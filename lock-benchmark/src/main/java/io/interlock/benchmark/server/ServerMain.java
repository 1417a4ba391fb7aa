package io.interlock.benchmark.server;

import org.apache.zookeeper.server.ZooKeeperServerMain;

/**
 * A ZooKeeper server that ends with the process that started it.
 */
final class ServerMain {

	private ServerMain() {
	}

	public static void main(String[] args) {
		JavaProcess.endWithParent();
		ZooKeeperServerMain.main(args);
	}

}
