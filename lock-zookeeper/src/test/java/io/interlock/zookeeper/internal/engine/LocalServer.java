package io.interlock.zookeeper.internal.engine;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.server.FourLetterWord;
import io.interlock.zookeeper.internal.node.LockPaths;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException.NoNodeException;

/**
 * A ZooKeeper server in this JVM that grants sessions of 1 to 40 seconds, with an eye on
 * what locks leave behind. It starts and restarts faster than one in a JVM of its own,
 * and knows the paths of locks, which {@code lock-test-support} does not.
 */
public final class LocalServer implements AutoCloseable {

	private static final int TICK_MILLIS = 500;

	private static final Pattern WATCHES = Pattern.compile("Total watches:(\\d+)");

	private static final int MAX_QUESTIONS = 5;

	static {
		// Nothing here survives a power failure, and nothing has to.
		System.setProperty("zookeeper.forceSync", "no");
	}

	private final TestingServer server;

	private final CuratorFramework observer;

	public LocalServer() throws Exception {
		this.server = new TestingServer(new InstanceSpec(null, Ports.free(), -1, -1, true, -1, TICK_MILLIS, -1,
				Map.of("maxSessionTimeout", "40000", "4lw.commands.whitelist", "wchs", "admin.enableServer", "false",
						"extendedTypesEnabled", "true")),
				true);
		this.observer = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.retryPolicy(new RetryForever(50))
			.ensembleTracker(false)
			.build();
		this.observer.start();
	}

	public String connectString() {
		return this.server.getConnectString();
	}

	public int port() {
		return this.server.getPort();
	}

	public void stop() throws IOException {
		this.server.stop();
	}

	void restart() throws Exception {
		this.server.restart();
	}

	/**
	 * Return a client that no fault reaches.
	 * @return the client
	 */
	public CuratorFramework observer() {
		return this.observer;
	}

	public static String pathOf(LockRequest request) {
		return pathOf(request.id());
	}

	static String pathOf(LockId id) {
		return new LockPaths(Instance.ROOT).pathOf(id);
	}

	/**
	 * Return who holds a lock and waits for it.
	 * @param request which lock
	 * @return the names of its nodes
	 */
	public List<String> contenders(LockRequest request) {
		try {
			return this.observer.getChildren().forPath(pathOf(request));
		}
		catch (NoNodeException ex) {
			return List.of();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return how many watches the server keeps for all its clients. A question that a
	 * busy machine has left without an answer is asked again.
	 * @return the number of watches
	 */
	public int watches() {
		String answer = "";
		for (int question = 0; question < MAX_QUESTIONS; question++) {
			answer = FourLetterWord.ask(port(), "wchs");
			Matcher matcher = WATCHES.matcher(answer);
			if (matcher.find()) {
				return Integer.parseInt(matcher.group(1));
			}
		}
		throw new IllegalStateException("No number of watches in: " + answer);
	}

	@Override
	public void close() throws IOException {
		this.observer.close();
		this.server.close();
	}

}
