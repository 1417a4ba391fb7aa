package io.interlock.zookeeper;

/**
 * Which recipe contends for locks in ZooKeeper. Instances with different ones exclude
 * each other as plain Curator clients do: with the same {@link Peers}, and in shared mode
 * with {@link Peers#READ_WRITE} only.
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
	 * Curator's mutex or read/write lock as they ship, by the {@link Peers} of the name,
	 * each attempt on a thread of its own and with the limits of these recipes: it waits
	 * only for nodes of its own kind and may be granted the node of a session that has
	 * ended. For comparison, and for operators who want Curator's code and nothing else.
	 */
	CURATOR

}
