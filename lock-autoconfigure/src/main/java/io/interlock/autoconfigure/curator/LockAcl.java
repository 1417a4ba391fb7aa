package io.interlock.autoconfigure.curator;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * Who may use the nodes of locks. In ZooKeeper the right to delete a node belongs to the
 * ACL of its parent, so an ACL protects locks only together with those of the lock path
 * and of the root path, and all instances that share locks must be authenticated as one
 * and the same user: those who wait read the nodes of those who hold.
 *
 * @since 0.1.0
 */
public enum LockAcl {

	/**
	 * Everybody who can connect may read, create and delete lock nodes.
	 */
	OPEN(everybody(Perms.ALL)),

	/**
	 * Only who is authenticated as their creator may take locks and delete lock nodes.
	 * Everybody who can connect may read who holds them and who waits.
	 */
	CREATOR_READ_WORLD(creator(), everybody(Perms.READ)),

	/**
	 * Only who is authenticated as their creator may do anything with lock nodes, reading
	 * them included.
	 */
	CREATOR_ALL(creator());

	private final List<ACL> entries;

	LockAcl(ACL... entries) {
		// ZooKeeper asks the list for null, which List.of() answers with an exception.
		this.entries = Collections.unmodifiableList(Arrays.asList(entries));
	}

	private static ACL everybody(int permissions) {
		return new ACL(permissions, new Id("world", "anyone"));
	}

	/**
	 * Whoever the client is authenticated as: the server replaces it by the user.
	 */
	private static ACL creator() {
		return new ACL(Perms.ALL, new Id("auth", ""));
	}

	/**
	 * Return what a node is created with.
	 * @return the entries of the ACL
	 */
	public List<ACL> entries() {
		return this.entries;
	}

}
