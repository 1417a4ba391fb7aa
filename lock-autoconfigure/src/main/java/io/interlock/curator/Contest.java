package io.interlock.curator;

import io.interlock.LockAttempt.Phase;
import io.interlock.LockRequest;

/**
 * What a recipe is told about one attempt, and tells about it.
 */
interface Contest {

	LockRequest request();

	/**
	 * Return whether to wait for others.
	 * @return {@code false} if an answer is wanted at once
	 */
	boolean waits();

	/**
	 * Return the parent of the nodes that contend.
	 * @return the path of the lock
	 */
	String lockPath();

	/**
	 * Return the name of our node, without protection prefix and sequence number.
	 * @return the start of the name
	 */
	String nodePrefix();

	byte[] nodeData();

	void enter(Phase phase);

	/**
	 * Delete a node that nobody will hold, in the background.
	 * @param path its path
	 */
	void discard(String path);

	CuratorLockHandle hold(LockNode node, SessionLease lease, boolean contended);

}
