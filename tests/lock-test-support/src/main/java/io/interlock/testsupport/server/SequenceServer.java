package io.interlock.testsupport.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * A ZooKeeper server in this JVM whose counters of sequence numbers can be set, because
 * counting to the end of them takes months. A server in a JVM of its own, like
 * {@link Server}, cannot be reached into.
 *
 * @since 0.1.0
 */
public final class SequenceServer implements AutoCloseable {

	private static final int TICK_MILLIS = 500;

	private static final int MAX_CONNECTIONS = 100;

	private final ZooKeeperServer server;

	private final NIOServerCnxnFactory connections = new NIOServerCnxnFactory();

	/**
	 * Start a server.
	 * @param directory where it keeps its data
	 * @throws IOException if it cannot listen or write
	 * @throws InterruptedException if the thread is interrupted meanwhile
	 */
	public SequenceServer(Path directory) throws IOException, InterruptedException {
		this.server = new ZooKeeperServer(directory.toFile(), directory.toFile(), TICK_MILLIS);
		this.connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), MAX_CONNECTIONS);
		this.connections.startup(this.server);
	}

	/**
	 * Return where clients connect.
	 * @return host and port
	 */
	public String connectString() {
		return "127.0.0.1:" + this.connections.getLocalPort();
	}

	/**
	 * Set the number that the next sequential node gets, and the ones after it.
	 * @param parent where the node will be
	 * @param sequence the number
	 */
	public void setSequence(String parent, int sequence) {
		DataNode node = this.server.getZKDatabase().getNode(parent);
		if (node == null) {
			throw new IllegalArgumentException("There is no " + parent);
		}
		node.stat.setCversion(sequence);
	}

	@Override
	public void close() {
		this.connections.shutdown();
	}

}
