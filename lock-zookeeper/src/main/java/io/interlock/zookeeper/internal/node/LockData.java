package io.interlock.zookeeper.internal.node;

/**
 * How much a lock node reveals about its owner, to every client that may read it, and to
 * logs and snapshots of the servers.
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
