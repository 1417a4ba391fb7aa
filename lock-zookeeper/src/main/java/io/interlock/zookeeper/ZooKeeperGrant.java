package io.interlock.zookeeper;

import io.interlock.provider.LockGrant;

/**
 * A grant that is a node in ZooKeeper. Code that knows the store gets it from the handle,
 * by {@link io.interlock.LockHandle#unwrap(Class)}.
 *
 * @since 0.1.0
 */
public interface ZooKeeperGrant extends LockGrant {

	/**
	 * {@return the path of the node as the servers know it, below the chroot and with the
	 * namespace of the client} It is gone as soon as the lock is released or lost.
	 */
	String nodePath();

}
