package io.interlock.faults.cluster;

import java.io.IOException;

import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * A ZooKeeper server that ends with the process that started it.
 */
final class ServerMain {

	private ServerMain() {
	}

	public static void main(String[] args) {
		Thread parent = new Thread(ServerMain::awaitEndOfParent, "parent");
		parent.setDaemon(true);
		parent.start();
		QuorumPeerMain.main(args);
	}

	private static void awaitEndOfParent() {
		try {
			while (System.in.read() >= 0) {
				continue;
			}
		}
		catch (IOException ex) {
			// The parent is gone.
		}
		Runtime.getRuntime().halt(1);
	}

}
