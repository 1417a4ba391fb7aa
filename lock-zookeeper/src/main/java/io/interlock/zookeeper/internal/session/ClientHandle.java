package io.interlock.zookeeper.internal.session;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Access to the ZooKeeper handle beneath Curator, for requests that must be sent once, at
 * a known time, in a known session: Curator's background operations are queued and
 * retried. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ClientHandle {

	private static final int FAILURES_OF_OTHERS = 20;

	private static final int MAX_PATHS = 10_000;

	private final CuratorFramework client;

	private final String namespace;

	private final Map<String, Integer> lostLists = new ConcurrentHashMap<>();

	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	public ClientHandle(CuratorFramework client) {
		this.client = client;
		String namespace = client.getNamespace();
		this.namespace = (namespace != null) ? namespace : "";
	}

	/**
	 * Return the handle of this moment. Without a connection this may wait for as long as
	 * another thread closes the last handle. Curator throws failures of other threads
	 * from here, each once: they do not concern us.
	 * @throws IllegalStateException if the client is closed
	 */
	ZooKeeper current() {
		for (int tries = 1;; tries++) {
			try {
				return this.client.getZookeeperClient().getZooKeeper();
			}
			catch (Exception ex) {
				if (tries == FAILURES_OF_OTHERS || this.client.getState() != CuratorFrameworkState.STARTED) {
					throw new IllegalStateException("There is no ZooKeeper handle", ex);
				}
			}
		}
	}

	/**
	 * Return the paths whose list of children was asked for when the connection broke:
	 * the length of a list may have been the reason. The value is the number of children
	 * at the last count, or zero before the first one.
	 */
	public Map<String, Integer> lostLists() {
		return this.lostLists;
	}

	public void listLost(String path) {
		if (this.lostLists.size() >= MAX_PATHS) {
			// A list that is too long is lost once more, and noted again.
			this.lostLists.clear();
		}
		this.lostLists.putIfAbsent(path, 0);
	}

	/**
	 * Return whether a node was not asked for here before, so that it is reported once.
	 */
	public boolean isNews(String path) {
		if (this.reported.size() >= MAX_PATHS) {
			this.reported.clear();
		}
		return this.reported.add(path);
	}

	/**
	 * Return the number of the handle of this moment: no I/O. It changes before a handle
	 * is closed in favour of the next one.
	 */
	long number() {
		return this.client.getZookeeperClient().getInstanceIndex();
	}

	/** Return whether Curator takes itself for connected: no I/O. It may be wrong. */
	boolean isConnected() {
		return this.client.getZookeeperClient().isConnected();
	}

	/**
	 * Return the handle if it is connected.
	 * @return the handle, with a session that a server has confirmed, or {@code null}
	 */
	public @Nullable ZooKeeper connected() {
		if (this.client.getState() != CuratorFrameworkState.STARTED || !isConnected()) {
			return null;
		}
		ZooKeeper zooKeeper = current();
		return (zooKeeper.getState() == ZooKeeper.States.CONNECTED && zooKeeper.getSessionId() != 0) ? zooKeeper : null;
	}

	/**
	 * Return a path as the handle needs it, which knows no namespace. ZooKeeper validates
	 * it; Curator's own method would do so for each request once more.
	 * @param path a path of Curator's
	 * @return the path below the namespace of the client
	 */
	public String absolute(String path) {
		if (this.namespace.isEmpty()) {
			return path;
		}
		return "/" + this.namespace + (path.equals("/") ? "" : path);
	}

}
