package io.interlock.testcontainers;

import io.interlock.autoconfigure.zookeeper.ZooKeeperConnectionDetails;
import org.testcontainers.containers.Container;

import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** Creates {@link ZooKeeperConnectionDetails} from a {@code "zookeeper"} container. */
class ZooKeeperContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, ZooKeeperConnectionDetails> {

	private static final int ZOOKEEPER_PORT = 2181;

	ZooKeeperContainerConnectionDetailsFactory() {
		super("zookeeper", "org.apache.curator.framework.CuratorFramework");
	}

	@Override
	protected ZooKeeperConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
		return new ZooKeeperContainerConnectionDetails(source);
	}

	private static final class ZooKeeperContainerConnectionDetails extends ContainerConnectionDetails<Container<?>>
			implements ZooKeeperConnectionDetails {

		private ZooKeeperContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public String connectString() {
			return getContainer().getHost() + ":" + getContainer().getMappedPort(ZOOKEEPER_PORT);
		}

		@Override
		public boolean ensembleTracker() {
			return false;
		}

	}

}
