package io.interlock.zookeeper;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;

/**
 * ACL of lock nodes. In ZooKeeper the ACL of the parent decides about the deletion of a
 * node, so an ACL protects locks only together with those of the lock path and of the
 * root path. All instances that share locks must be authenticated as the same user,
 * because waiters read the nodes of holders.
 *
 * @since 0.1.0
 */
public enum LockAcl {

	/** Every client may read, create and delete lock nodes. */
	OPEN(everybody(Perms.ALL)),

	/**
	 * Only the user that created them may acquire locks and delete lock nodes. Every
	 * client may read which instance holds a lock and which ones wait.
	 */
	CREATOR_READ_WORLD(creator(), everybody(Perms.READ)),

	/** Only the user that created them may use lock nodes, and read them. */
	CREATOR_ALL(creator());

	private final List<ACL> entries;

	LockAcl(ACL... entries) {
		// ZooKeeper calls contains(null), for which List.of() throws an exception.
		this.entries = Collections.unmodifiableList(Arrays.asList(entries));
	}

	private static ACL everybody(int permissions) {
		return new ACL(permissions, new Id("world", "anyone"));
	}

	/** The server replaces this entry by the user that the client is authenticated as. */
	private static ACL creator() {
		return new ACL(Perms.ALL, new Id("auth", ""));
	}

	/**
	 * Create a provider that protects the root path of locks and the nodes below it. The
	 * rest of the tree stays open, as it is with Curator: the whole application may use
	 * the client. Its namespace is asked for late, because a customizer may set it.
	 */
	public ACLProvider below(String rootPath, Supplier<@Nullable String> namespace) {
		return new ACLProvider() {

			@Override
			public List<ACL> getDefaultAcl() {
				return OPEN.entries;
			}

			// Curator passes the path with the namespace in some operations only.
			@Override
			public List<ACL> getAclForPath(@Nullable String path) {
				boolean lock = path != null && (isBelow(rootPath, path)
						|| isBelow(ZKPaths.fixForNamespace(namespace.get(), rootPath), path));
				return (lock ? LockAcl.this : OPEN).entries;
			}

		};
	}

	private static boolean isBelow(String root, String path) {
		return path.equals(root) || path.startsWith(root + "/");
	}

}
