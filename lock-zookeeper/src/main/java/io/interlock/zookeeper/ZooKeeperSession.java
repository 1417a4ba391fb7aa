package io.interlock.zookeeper;

import org.jspecify.annotations.Nullable;

/**
 * Shows the ZooKeeper session that the locks of this instance depend on. Safe for use by
 * many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ZooKeeperSession {

	/**
	 * Return the session as it is known at this moment. Returns at once: without any I/O
	 * and without waiting for a thread or a server, also while no server can be reached.
	 * @return a snapshot
	 */
	SessionSnapshot session();

	/**
	 * {@return how many deletions of lock nodes the servers have not answered yet; 0
	 * where that is not known} Returns at once.
	 */
	default int pendingReleases() {
		return 0;
	}

	/**
	 * {@return the servers that the client connects to, as its connect string;
	 * {@code null} where that is not known} Returns at once.
	 */
	default @Nullable String address() {
		return null;
	}

}
