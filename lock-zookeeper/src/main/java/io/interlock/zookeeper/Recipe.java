package io.interlock.zookeeper;

/**
 * Which recipe contends for locks in ZooKeeper. Every instance must use the same one, or
 * {@link Peers#READ_WRITE}.
 *
 * @since 0.1.0
 */
public enum Recipe {

	/**
	 * Interlock's own: no thread waits, and creation and listing of a node are sent
	 * together.
	 */
	PIPELINED,

	/**
	 * Curator's read/write lock as it ships, each attempt on a thread of its own and with
	 * the limits of that recipe: it waits only for nodes of its own kind and may be
	 * granted the node of a session that has ended. For comparison, and for operators who
	 * want Curator's code and nothing else.
	 */
	CURATOR

}
