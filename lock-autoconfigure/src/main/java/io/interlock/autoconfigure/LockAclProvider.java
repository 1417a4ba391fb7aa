package io.interlock.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.interlock.autoconfigure.curator.LockAcl;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Protects the root path of locks and what is below it. The rest of the tree stays open,
 * as it is with Curator: the client is there for the whole application, and the parents
 * of the root path are there for others.
 */
final class LockAclProvider implements ACLProvider {

	private final String rootPath;

	private final LockAcl acl;

	private final Supplier<@Nullable String> namespace;

	/**
	 * Create a provider.
	 * @param rootPath the root path
	 * @param acl the ACL of the root path and below
	 * @param namespace the namespace of the client, which is asked for late
	 */
	LockAclProvider(String rootPath, LockAcl acl, Supplier<@Nullable String> namespace) {
		this.rootPath = rootPath;
		this.acl = acl;
		this.namespace = namespace;
	}

	@Override
	public List<ACL> getDefaultAcl() {
		return LockAcl.OPEN.entries();
	}

	/**
	 * Return the ACL of a path, which Curator tells with the namespace in some operations
	 * and without it in others.
	 */
	@Override
	public List<ACL> getAclForPath(@Nullable String path) {
		boolean locks = path != null && (isBelow(this.rootPath, path)
				|| isBelow(ZKPaths.fixForNamespace(this.namespace.get(), this.rootPath), path));
		return (locks ? this.acl : LockAcl.OPEN).entries();
	}

	private static boolean isBelow(String root, String path) {
		return path.equals(root) || path.startsWith(root + "/");
	}

}
