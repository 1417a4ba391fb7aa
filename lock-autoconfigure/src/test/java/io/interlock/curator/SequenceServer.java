package io.interlock.curator;

import java.io.File;
import java.net.InetSocketAddress;

import org.apache.zookeeper.data.StatPersisted;

import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.Assert;

/**
 * A server in this JVM whose counters of sequence numbers can be set, because counting to
 * the end of them takes months. By reflection: the compiler cannot read the server's
 * classes without a warning.
 */
final class SequenceServer implements AutoCloseable {

	private static final int TICK_MILLIS = 500;

	private final Object server;

	private final Object connections;

	SequenceServer(File directory) throws Exception {
		this.server = Class.forName("org.apache.zookeeper.server.ZooKeeperServer")
			.getConstructor(File.class, File.class, int.class)
			.newInstance(directory, directory, TICK_MILLIS);
		this.connections = Class.forName("org.apache.zookeeper.server.NIOServerCnxnFactory")
			.getConstructor()
			.newInstance();
		ReflectionTestUtils.invokeMethod(this.connections, "configure", new InetSocketAddress("127.0.0.1", 0), 100);
		ReflectionTestUtils.invokeMethod(this.connections, "startup", this.server);
	}

	String connectString() {
		Integer port = ReflectionTestUtils.invokeMethod(this.connections, "getLocalPort");
		return "127.0.0.1:" + port;
	}

	/**
	 * Set the number that the next sequential node gets, and the ones after it.
	 * @param parent where the node will be
	 * @param sequence the number
	 */
	void setSequence(String parent, int sequence) {
		Object database = ReflectionTestUtils.invokeMethod(this.server, "getZKDatabase");
		Assert.state(database != null, "The server has no database");
		Object node = ReflectionTestUtils.invokeMethod(database, "getNode", parent);
		Assert.state(node != null, () -> "There is no " + parent);
		StatPersisted stat = (StatPersisted) ReflectionTestUtils.getField(node, "stat");
		Assert.state(stat != null, "The node has no stat");
		stat.setCversion(sequence);
	}

	@Override
	public void close() {
		ReflectionTestUtils.invokeMethod(this.connections, "shutdown");
	}

}
