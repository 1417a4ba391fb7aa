package io.interlock.zookeeper.internal.node;

import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * A node of this instance in the queue of a lock.
 *
 * @param path its path
 * @param czxid the transaction that created it
 * @param ctime when it was created, in milliseconds of the servers' clock
 * @param sessionId the session that it belongs to
 * @param sentAt when its creation was sent, as {@link System#nanoTime()}
 * @param answeredAt when its creation was known
 * @since 0.1.0
 */
public record LockNode(String path, long czxid, long ctime, long sessionId, long sentAt, long answeredAt) {

	/**
	 * Describe a node that was created or found.
	 * @param lockPath path of the lock, without the namespace of the client
	 * @param name the node as the servers name it, or {@code null} if it is not there
	 * @param stat what the servers say of it, or {@code null} if it is not there
	 */
	public static @Nullable LockNode of(String lockPath, @Nullable String name, @Nullable Stat stat, long sentAt,
			long answeredAt) {
		return (name != null && stat != null) ? new LockNode(lockPath + name.substring(name.lastIndexOf('/')),
				stat.getCzxid(), stat.getCtime(), stat.getEphemeralOwner(), sentAt, answeredAt) : null;
	}

	/**
	 * Return a time that the servers' clock has reached, in milliseconds: what it showed
	 * when the node was created, and what has passed since that was known.
	 * @param now the time here, as {@link System#nanoTime()}
	 */
	public long serverTimeReached(long now) {
		return this.ctime + TimeUnit.NANOSECONDS.toMillis(now - this.answeredAt);
	}

	/**
	 * Return a time that the servers' clock has not reached, in milliseconds: what it
	 * showed when the node was created, and what has passed since that was asked for.
	 * @param now the time here, as {@link System#nanoTime()}
	 */
	public long serverTimeAhead(long now) {
		return this.ctime + TimeUnit.NANOSECONDS.toMillis(now - this.sentAt) + 1;
	}

	/** Return the path of the lock, which is the parent of this node. */
	public String lockPath() {
		return this.path.substring(0, this.path.lastIndexOf('/'));
	}

	public String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

}
