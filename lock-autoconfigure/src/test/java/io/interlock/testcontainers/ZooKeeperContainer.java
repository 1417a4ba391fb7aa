package io.interlock.testcontainers;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A ZooKeeper server in a container that is ready when it serves.
 */
public final class ZooKeeperContainer extends GenericContainer<ZooKeeperContainer> {

	/**
	 * The image of all container tests.
	 */
	public static final String NAME = "zookeeper:3.9.5";

	public static final DockerImageName IMAGE = DockerImageName.parse(NAME);

	static final int PORT = 2181;

	/**
	 * Create a container.
	 */
	public ZooKeeperContainer() {
		super(IMAGE);
		withExposedPorts(PORT);
		waitingFor(new ServingWaitStrategy());
	}

	/**
	 * Return where the server listens.
	 * @return the connect string
	 */
	public String connectString() {
		return getHost() + ":" + getMappedPort(PORT);
	}

}
