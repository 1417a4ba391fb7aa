package io.interlock.zookeeper.internal.session;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;

import org.apache.curator.utils.DefaultZookeeperFactory;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * A handle that knows when its connection was begun: the leader has heard of the session
 * since, because no server takes a session up without it. Safe for use by many threads.
 *
 * @since 0.1.0
 */
@SuppressWarnings("try") // its close() may throw InterruptedException
public final class TimedZooKeeper extends ZooKeeper {

	private final Connections connections;

	private TimedZooKeeper(String connectString, int sessionTimeout, Watcher watcher, Connections connections,
			ZKClientConfig config) throws IOException {
		super(connectString, sessionTimeout, watcher, false, connections, config);
		this.connections = connections;
	}

	/**
	 * Return a factory of such handles. A server that is cut off from its leader serves
	 * those that may read only, so these are not timed.
	 */
	public static ZookeeperFactory factory() {
		return new DefaultZookeeperFactory() {

			@Override
			public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher,
					boolean canBeReadOnly, ZKClientConfig config) throws Exception {
				return canBeReadOnly ? super.newZooKeeper(connectString, sessionTimeout, watcher, true, config)
						: new TimedZooKeeper(connectString, sessionTimeout, watcher, new Connections(connectString),
								config);
			}

		};
	}

	/**
	 * Return a {@link System#nanoTime()} from before the newest connection that was made,
	 * or {@code null} if none was.
	 */
	@Nullable Long connectedAfter() {
		return this.connections.connectedAfter;
	}

	/**
	 * The servers of a connect string. The thread of the handle asks for one, connects to
	 * it, and tells once the server has answered for the session. Invariant: what counts
	 * is a connection that was made, because the handle takes itself for connected until
	 * the next attempt has begun.
	 */
	private static final class Connections implements HostProvider {

		private final StaticHostProvider servers;

		private volatile long begunAt;

		private volatile @Nullable Long connectedAfter;

		Connections(String connectString) {
			this.servers = new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses());
		}

		@Override
		public InetSocketAddress next(long spinDelay) {
			InetSocketAddress server = this.servers.next(spinDelay);
			this.begunAt = System.nanoTime();
			return server;
		}

		@Override
		public void onConnected() {
			this.connectedAfter = this.begunAt;
			this.servers.onConnected();
		}

		@Override
		public int size() {
			return this.servers.size();
		}

		@Override
		public boolean updateServerList(Collection<InetSocketAddress> addresses, InetSocketAddress current) {
			return this.servers.updateServerList(addresses, current);
		}

	}

}
