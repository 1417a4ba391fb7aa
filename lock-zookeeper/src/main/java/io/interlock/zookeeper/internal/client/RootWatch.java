package io.interlock.zookeeper.internal.client;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.zookeeper.LockAcl;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * Warns when any client may create and delete lock paths although the application asks
 * for protection: on start-up, and when another client has made the root path anew. A
 * client that may write to the parent of the root path can do that while no lock is used.
 * Invariant: from the start-up check on, each session watches the root path before it
 * reads the ACL, so that no later change is missed. Safe for use by many threads.
 */
final class RootWatch implements ConnectionStateListener, Watcher {

	private static final Log logger = LogFactory.getLog(RootWatch.class);

	private final CuratorFramework client;

	private final ClientHandle handle;

	private final String rootPath;

	private final LockAcl acl;

	private final AtomicBoolean open = new AtomicBoolean();

	RootWatch(CuratorFramework client, String rootPath, LockAcl acl) {
		this.client = client;
		this.handle = new ClientHandle(client);
		this.rootPath = rootPath;
		this.acl = acl;
	}

	/**
	 * Look at the root path, and watch it from now on.
	 * @throws Exception if the servers cannot be asked
	 */
	void start() throws Exception {
		if (this.acl != LockAcl.OPEN) {
			this.client.getConnectionStateListenable().addListener(this);
			ZooKeeper zooKeeper = this.handle.current();
			zooKeeper.exists(path(), this);
			judge(acl(zooKeeper));
		}
	}

	private List<ACL> acl(ZooKeeper zooKeeper) throws Exception {
		try {
			return zooKeeper.getACL(path(), new Stat());
		}
		catch (NoAuthException | NoNodeException ex) {
			return List.of();
		}
	}

	void stop() {
		this.client.getConnectionStateListenable().removeListener(this);
	}

	@Override
	public void stateChanged(CuratorFramework client, ConnectionState state) {
		if (state.isConnected()) {
			look();
		}
	}

	@Override
	public void process(WatchedEvent event) {
		if (event.getType() != Event.EventType.None) {
			look();
		}
	}

	/**
	 * Watch the root path and read its ACL. An interruption loses the answers, and the
	 * next connection asks again.
	 */
	private void look() {
		ZooKeeper zooKeeper = this.handle.connected();
		if (zooKeeper != null) {
			zooKeeper.exists(path(), this, (code, asked, context, stat) -> {
			}, null);
			zooKeeper.getACL(path(), new Stat(), (code, asked, context, acl, stat) -> {
				if (code == Code.OK.intValue()) {
					judge(acl);
				}
				else if (code == Code.NONODE.intValue() || code == Code.NOAUTH.intValue()) {
					judge(List.of());
				}
			}, null);
		}
	}

	/**
	 * Warn if every client may create and delete lock paths, once until it is no longer
	 * so. An ACL that this client may not read says nothing.
	 */
	private void judge(List<ACL> acls) {
		boolean openNow = acls.stream()
			.anyMatch((acl) -> acl.getId().getScheme().equals("world") && (acl.getPerms() & ~Perms.READ) != 0);
		if (!this.open.getAndSet(openNow) && openNow) {
			logger
				.warn(("interlock.zookeeper.acl is %1$s, but any client may create and delete lock paths below '%2$s', "
						+ "because that path was made without protection, before the start or by another client since. "
						+ "Set its ACL, as 'setAcl -R %2$s auth::cdrwa' does in zkCli.sh for the user of this "
						+ "application, and protect the path above it")
					.formatted(this.acl.name().toLowerCase(Locale.ROOT).replace('_', '-'), path()));
		}
	}

	private String path() {
		return this.handle.absolute(this.rootPath);
	}

}
