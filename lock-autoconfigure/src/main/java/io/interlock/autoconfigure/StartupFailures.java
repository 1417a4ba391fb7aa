package io.interlock.autoconfigure;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * What to tell about a start-up check that failed.
 */
record StartupFailures(CuratorFramework client, LockRoot root, @Nullable String username) {

	StartupCheckException unreachable(Duration timeout) {
		String problem = this.client.getZookeeperClient().isConnected() ? "does not complete requests"
				: "cannot be reached";
		return new StartupCheckException(
				"ZooKeeper at '%s' %s within the startup timeout of %d ms.".formatted(connectString(), problem,
						timeout.toMillis()),
				"Start ZooKeeper there, or correct interlock.zookeeper.connect-string. For development, set "
						+ "interlock.zookeeper.embedded.enabled=true to run a server inside the application. Set "
						+ "interlock.zookeeper.startup-timeout=0 to start without waiting.",
				null);
	}

	StartupCheckException refused(@Nullable Throwable reason) {
		String connectString = connectString();
		if (reason instanceof KeeperException.NoAuthException) {
			return new StartupCheckException(
					"ZooKeeper at '%s' does not allow %s to create and delete lock nodes below '%s'."
						.formatted(connectString, user(), this.root),
					"Correct interlock.zookeeper.username and interlock.zookeeper.password (or the credentials of "
							+ "your own client), grant that user create, read and delete on the path, or choose "
							+ "another interlock.root-path. All instances need the same user unless "
							+ "interlock.zookeeper.acl is open in all of them. ZooKeeper accepts any credentials on connecting, so wrong "
							+ "ones show only here.",
					reason);
		}
		if (reason instanceof KeeperException.InvalidACLException
				|| reason instanceof KeeperException.AuthFailedException
				|| reason instanceof KeeperException.SessionClosedRequireAuthException) {
			return new StartupCheckException(
					"ZooKeeper at '%s' has not authenticated %s.".formatted(connectString, user()),
					"Correct the credentials, certificate or JAAS configuration of the client, and make sure that the "
							+ "server knows the way in which the client authenticates itself. Without that, "
							+ "interlock.zookeeper.acl can only be open.",
					reason);
		}
		String chroot = StringUtils.hasText(connectString) && connectString.contains("/")
				? connectString.substring(connectString.indexOf('/')) : null;
		if (reason instanceof KeeperException.NoNodeException && chroot != null) {
			return new StartupCheckException(
					"The chroot '%s' of the ZooKeeper connect string '%s' does not exist.".formatted(chroot,
							connectString),
					"Create '%s' in ZooKeeper, or remove it from interlock.zookeeper.connect-string. ZooKeeper accepts "
						.formatted(chroot) + "any chroot on connecting, so a wrong one shows only here.",
					reason);
		}
		return new StartupCheckException("Lock nodes cannot be created below '%s' in ZooKeeper at '%s': %s"
			.formatted(this.root, connectString, reason),
				"Make sure that interlock.root-path is writable for this application.", reason);
	}

	private String user() {
		return (this.username != null) ? "user '" + this.username + "'" : "this client";
	}

	private String connectString() {
		return this.client.getZookeeperClient().getCurrentConnectionString();
	}

}
