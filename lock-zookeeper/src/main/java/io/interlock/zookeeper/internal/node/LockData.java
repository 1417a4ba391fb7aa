package io.interlock.zookeeper.internal.node;

/**
 * What the data of lock nodes says. Every client that may read the nodes can read it. The
 * logs and snapshots of the servers keep it.
 *
 * @since 0.1.0
 */
public enum LockData {

	/** Instance, application, host, process, thread, trace, name and key of the lock. */
	FULL,

	/** Identifier of the instance. */
	MINIMAL,

	/** That the node was made by Interlock. */
	NONE

}
