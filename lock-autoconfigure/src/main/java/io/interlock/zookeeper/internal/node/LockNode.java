package io.interlock.zookeeper.internal.node;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A node of this instance in the queue of a lock.
 *
 * @param path its path
 * @param czxid the transaction that created it
 * @param sessionId the session that it belongs to
 * @param sentAt when its creation was sent, as {@link System#nanoTime()}
 * @since 0.1.0
 */
public record LockNode(String path, long czxid, long sessionId, long sentAt) {

	/**
	 * Describe a node that was created or found.
	 * @param lockPath path of the lock, without the namespace of the client
	 * @param name the node as the servers name it, or {@code null} if it is not there
	 * @param stat what the servers say of it, or {@code null} if it is not there
	 */
	public static @Nullable LockNode of(String lockPath, @Nullable String name, @Nullable Stat stat, long sentAt) {
		return (name != null && stat != null) ? new LockNode(lockPath + name.substring(name.lastIndexOf('/')),
				stat.getCzxid(), stat.getEphemeralOwner(), sentAt) : null;
	}

	/**
	 * Return the path of the lock.
	 * @return the parent of this node
	 */
	public String lockPath() {
		return this.path.substring(0, this.path.lastIndexOf('/'));
	}

	public String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

}
