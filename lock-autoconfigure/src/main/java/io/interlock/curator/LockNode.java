package io.interlock.curator;

import org.springframework.util.Assert;

/**
 * A node of ours in the queue of a lock.
 *
 * @param path its path
 * @param czxid the transaction that created it
 * @param sessionId the session that it belongs to
 * @param sentAt when its creation was sent, as {@link System#nanoTime()}
 */
record LockNode(String path, long czxid, long sessionId, long sentAt) {

	/**
	 * Return the path of the lock.
	 * @return the parent of this node
	 */
	String lockPath() {
		return this.path.substring(0, this.path.lastIndexOf('/'));
	}

	/**
	 * Return the number that the servers gave to this node.
	 * @return the number, negative after the end of the positive ones
	 */
	int sequence() {
		Contender contender = Contender.parse(this.path);
		Assert.state(contender != null, () -> "Not a contender: " + this.path);
		return contender.sequence();
	}

}
