package io.interlock.autoconfigure.curator;

/**
 * {@link ZooKeeperConnectionDetails} of an {@link EmbeddedZooKeeper}.
 */
class EmbeddedZooKeeperConnectionDetails implements ZooKeeperConnectionDetails {

	private final EmbeddedZooKeeper server;

	EmbeddedZooKeeperConnectionDetails(EmbeddedZooKeeper server) {
		this.server = server;
	}

	@Override
	public String connectString() {
		return this.server.connectString();
	}

	@Override
	public boolean ensembleTracker() {
		return false;
	}

}
