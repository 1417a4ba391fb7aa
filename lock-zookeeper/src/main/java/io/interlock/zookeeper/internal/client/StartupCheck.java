package io.interlock.zookeeper.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.interlock.internal.AbstractStartupCheck;
import io.interlock.zookeeper.LockAcl;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Perms;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Makes sure that locks can be created once there is a connection: ZooKeeper accepts any
 * credentials and any chroot on connecting. With a timeout the application does not start
 * before that is known. Without one it starts at once, and the check logs its failure.
 *
 * @since 0.1.0
 */
public class StartupCheck extends AbstractStartupCheck {

	private static final long RETRY_PAUSE_MILLIS = 200;

	private static final int PATIENCE_SECONDS = 5;

	private static final byte[] NO_DATA = {};

	private static final String CAUSE_WITHOUT_TLS = " If the server speaks TLS on that port, set interlock.zookeeper.ssl.bundle.";

	private static final String CAUSES_WITH_TLS = " If a server runs there, TLS fails for one of four causes. (1) "
			+ "The port does not use TLS: set interlock.zookeeper.connect-string to the secureClientPort of the "
			+ "server. (2) The certificate of the server is not trusted, or not valid today: the trust store of the "
			+ "SSL bundle (interlock.zookeeper.ssl.bundle) needs the authority that has signed it. Without a bundle, "
			+ "the client trusts the certificates that Java trusts. (3) The certificate names another host: use the "
			+ "host name of the certificate in interlock.zookeeper.connect-string. (4) The server refuses the "
			+ "protocol or the certificate of this client: the options and the key store of the SSL bundle need what "
			+ "the server accepts. The log of org.apache.zookeeper.ClientCnxnSocketNetty has the TLS error.";

	private final CuratorFramework client;

	private final @Nullable OwnClient ownClient;

	private final @Nullable String provider;

	private final String rootPath;

	private final @Nullable String username;

	private final LockAcl acl;

	/**
	 * Create a check of a client.
	 * @param provider name of the provider that uses it, or {@code null} for the default
	 * one
	 */
	public StartupCheck(CuratorFramework client, @Nullable OwnClient ownClient, @Nullable String provider,
			String rootPath, @Nullable String username, LockAcl acl, Duration timeout) {
		super("ZooKeeper", timeout);
		this.provider = provider;
		this.client = client;
		this.ownClient = ownClient;
		this.rootPath = rootPath;
		this.username = username;
		this.acl = acl;
	}

	@Override
	protected void awaitStore() throws Exception {
		if (!this.client.blockUntilConnected(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
			this.logger.warn("ZooKeeper at '%s' cannot be reached%s. Locks cannot be acquired until it can.%s%s"
				.formatted(connectString(), encryption(), UnknownHosts.in(connectString()), causes()));
			this.client.blockUntilConnected();
			this.logger.warn("ZooKeeper at '%s' can be reached now".formatted(connectString()));
		}
		while (!isUsable()) {
			// The client may believe for a moment that the lost connection is alive.
			TimeUnit.MILLISECONDS.sleep(RETRY_PAUSE_MILLIS);
		}
		this.logger.info("Locks%s are kept in ZooKeeper at '%s' (nodes below %s), which is ready"
			.formatted((this.provider != null) ? " of provider '" + this.provider + "'" : "", connectString(), root()));
		String unknownHosts = UnknownHosts.in(connectString());
		if (!unknownHosts.isEmpty()) {
			this.logger.warn("Some servers of ZooKeeper cannot be found, so locks do without them." + unknownHosts);
		}
	}

	private boolean isUsable() throws Exception {
		this.client.blockUntilConnected();
		try {
			createRoot();
			createAndDeleteNode();
			warnIfRootIsOpen();
			return true;
		}
		catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException
				| KeeperException.OperationTimeoutException ex) {
			this.logger.debug("Connection lost during the start-up check", ex);
			return false;
		}
	}

	/**
	 * Create the root path unless it exists. It is persistent: ZooKeeper would delete a
	 * container with the last lock, and with it an ACL that an operator has set.
	 */
	private void createRoot() throws Exception {
		if (this.client.checkExists().forPath(this.rootPath) != null) {
			return;
		}
		try {
			this.client.create().creatingParentsIfNeeded().forPath(this.rootPath, NO_DATA);
		}
		catch (KeeperException.NodeExistsException ex) {
			// Another instance was faster.
		}
	}

	/**
	 * Create and delete a node in one transaction, so that no other client ever sees it.
	 * That the path exists does not mean that this client may use it.
	 */
	private void createAndDeleteNode() throws Exception {
		String node = ZKPaths.makePath(this.rootPath, "startup-check-" + UUID.randomUUID());
		CuratorOp create = this.client.transactionOp().create().forPath(node, NO_DATA);
		CuratorOp delete = this.client.transactionOp().delete().forPath(node);
		this.client.transaction().forOperations(List.of(create, delete));
	}

	/**
	 * Warn of a root that any client may change, despite the protection asked for.
	 * Without permission to read the ACL, there is nothing to warn of.
	 */
	private void warnIfRootIsOpen() throws Exception {
		if (this.acl != LockAcl.OPEN && isRootOpen()) {
			this.logger.warn(("interlock.zookeeper.acl is %1$s, but any client may create and delete lock paths "
					+ "below '%2$s', because that path was created without protection. Set its ACL, as 'setAcl -R "
					+ "%2$s auth::cdrwa' does in zkCli.sh for the user of this application, and protect the path "
					+ "above it")
				.formatted(this.acl.name().toLowerCase(Locale.ROOT).replace('_', '-'), root()));
		}
	}

	private boolean isRootOpen() throws Exception {
		try {
			return this.client.getACL()
				.forPath(this.rootPath)
				.stream()
				.anyMatch((acl) -> acl.getId().getScheme().equals("world") && (acl.getPerms() & ~Perms.READ) != 0);
		}
		catch (KeeperException.NoAuthException | KeeperException.NoNodeException ex) {
			return false;
		}
	}

	@Override
	protected ZooKeeperStartupException unreachable(Duration timeout) {
		boolean connected = this.client.getZookeeperClient().isConnected();
		return new ZooKeeperStartupException(
				"ZooKeeper at '%s' %s within the startup timeout of %d ms.".formatted(connectString(),
						connected ? "does not complete requests" : "cannot be reached" + encryption(),
						timeout.toMillis()),
				"Start ZooKeeper there, or correct interlock.zookeeper.connect-string.%s For development, set "
					.formatted(connected ? "" : causes())
						+ "interlock.zookeeper.embedded.enabled=true to run a server inside the application. Set "
						+ "interlock.startup-timeout=0 to start without waiting.",
				null);
	}

	private String encryption() {
		return (this.ownClient != null) ? this.ownClient.encryption() : "";
	}

	/** Name possible causes with TLS, because the client does not report the cause. */
	private String causes() {
		if (this.ownClient == null) {
			return "";
		}
		return this.ownClient.isEncrypted() ? CAUSES_WITH_TLS : CAUSE_WITHOUT_TLS;
	}

	@Override
	protected ZooKeeperStartupException refused(@Nullable Throwable reason) {
		String connectString = connectString();
		if (reason instanceof KeeperException.NoAuthException) {
			return new ZooKeeperStartupException(
					"ZooKeeper at '%s' does not allow %s to create and delete lock nodes below '%s'."
						.formatted(connectString, user(), root()),
					"Correct interlock.zookeeper.username and interlock.zookeeper.password (or the credentials of "
							+ "your own client), grant that user create, read and delete on the path, or choose "
							+ "another interlock.zookeeper.root-path. All instances need the same user unless "
							+ "interlock.zookeeper.acl is open in all of them. ZooKeeper accepts any credentials "
							+ "when a client connects, so wrong ones are only noticed here.",
					reason);
		}
		if (reason instanceof KeeperException.InvalidACLException
				|| reason instanceof KeeperException.AuthFailedException
				|| reason instanceof KeeperException.SessionClosedRequireAuthException) {
			return new ZooKeeperStartupException(
					"ZooKeeper at '%s' has not authenticated %s.".formatted(connectString, user()),
					"Correct the credentials, certificate or JAAS configuration of the client, and make sure that "
							+ "the server supports the authentication scheme of the client. Without that, "
							+ "interlock.zookeeper.acl can only be open.",
					reason);
		}
		if (reason instanceof KeeperException.UnimplementedException) {
			return new ZooKeeperStartupException(
					"ZooKeeper at '%s' is too old for locks: it lacks requests that ZooKeeper 3.5 introduced."
						.formatted(connectString),
					"Update the servers to ZooKeeper 3.5 or later.", reason);
		}
		int chrootStart = StringUtils.hasText(connectString) ? connectString.indexOf('/') : -1;
		if (reason instanceof KeeperException.NoNodeException && chrootStart >= 0) {
			String chroot = connectString.substring(chrootStart);
			return new ZooKeeperStartupException(
					"The chroot '%s' of the ZooKeeper connect string '%s' does not exist.".formatted(chroot,
							connectString),
					"Create '%s' in ZooKeeper, or remove it from interlock.zookeeper.connect-string. ZooKeeper accepts "
						.formatted(chroot) + "any chroot when a client connects, so a wrong one is only noticed here.",
					reason);
		}
		return new ZooKeeperStartupException(
				"Lock nodes cannot be created below '%s' in ZooKeeper at '%s': %s".formatted(root(), connectString,
						reason),
				"Make sure that interlock.zookeeper.root-path is writable for this application.", reason);
	}

	private String root() {
		String namespace = this.client.getNamespace();
		return namespace.isEmpty() ? this.rootPath : ZKPaths.makePath(namespace, this.rootPath);
	}

	private String user() {
		return (this.username != null) ? "user '" + this.username + "'" : "this client";
	}

	private String connectString() {
		return this.client.getZookeeperClient().getCurrentConnectionString();
	}

	@Override
	protected String describe(RuntimeException refusal) {
		return refusal.getMessage() + " " + ((ZooKeeperStartupException) refusal).getAction();
	}

}
