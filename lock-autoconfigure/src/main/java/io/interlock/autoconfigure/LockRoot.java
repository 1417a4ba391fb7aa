package io.interlock.autoconfigure;

import java.util.List;
import java.util.UUID;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Perms;

/**
 * The path below which lock nodes are created.
 */
class LockRoot {

	private static final byte[] NO_DATA = {};

	private final CuratorFramework client;

	private final String path;

	LockRoot(CuratorFramework client, String path) {
		this.client = client;
		this.path = path;
	}

	/**
	 * Make the path if there is none. It is persistent: a container would be reaped when
	 * the last lock is gone, and with it an ACL that an operator has set.
	 */
	void create() throws Exception {
		if (this.client.checkExists().forPath(this.path) != null) {
			return;
		}
		try {
			this.client.create().creatingParentsIfNeeded().forPath(this.path, NO_DATA);
		}
		catch (KeeperException.NodeExistsException ex) {
			// Another instance was faster.
		}
	}

	/**
	 * Create and delete a node in one transaction, so that nobody ever sees it. A path
	 * that exists says nothing about the right to use it.
	 */
	void probe() throws Exception {
		String node = ZKPaths.makePath(this.path, "startup-check-" + UUID.randomUUID());
		CuratorOp create = this.client.transactionOp().create().forPath(node, NO_DATA);
		CuratorOp delete = this.client.transactionOp().delete().forPath(node);
		this.client.transaction().forOperations(List.of(create, delete));
	}

	/**
	 * Return whether the ACL of the path lets everybody make and delete lock paths, so
	 * that the ACL of lock nodes is worth nothing. Who may not read that ACL gets no
	 * answer.
	 */
	boolean isWritableForEverybody() throws Exception {
		try {
			return this.client.getACL()
				.forPath(this.path)
				.stream()
				.anyMatch((acl) -> acl.getId().getScheme().equals("world") && (acl.getPerms() & ~Perms.READ) != 0);
		}
		catch (KeeperException.NoAuthException ex) {
			return false;
		}
	}

	@Override
	public String toString() {
		String namespace = this.client.getNamespace();
		return namespace.isEmpty() ? this.path : ZKPaths.makePath(namespace, this.path);
	}

}
