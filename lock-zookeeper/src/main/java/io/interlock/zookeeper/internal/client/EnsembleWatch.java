package io.interlock.zookeeper.internal.client;

import java.io.ByteArrayInputStream;
import java.util.Properties;

import io.interlock.PrintableText;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.ensemble.EnsembleProvider;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.EnsembleTracker;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.quorum.flexible.QuorumMaj;

/**
 * Follows reconfigurations of the ensemble: the client looks for its servers where the
 * servers say that they are. Curator's {@link EnsembleTracker} does the same, but asks
 * before there is a connection, and logs two stack traces when none comes in time. This
 * one asks on each connection, once: the next connection asks again.
 */
final class EnsembleWatch implements ConnectionStateListener, Watcher {

	private static final Log logger = LogFactory.getLog(EnsembleWatch.class);

	private final ClientHandle handle;

	private final EnsembleProvider ensemble;

	EnsembleWatch(CuratorFramework client, EnsembleProvider ensemble) {
		this.handle = new ClientHandle(client);
		this.ensemble = ensemble;
	}

	@Override
	public void stateChanged(CuratorFramework client, ConnectionState state) {
		if (state.isConnected()) {
			ask();
		}
	}

	@Override
	public void process(WatchedEvent event) {
		if (event.getType() == Event.EventType.NodeDataChanged) {
			ask();
		}
	}

	private void ask() {
		ZooKeeper zooKeeper = this.handle.connected();
		if (zooKeeper != null) {
			zooKeeper.getConfig(this, (code, path, context, configuration, stat) -> {
				if (code == Code.OK.intValue()) {
					follow(configuration);
				}
			}, null);
		}
	}

	/**
	 * Take over the addresses of a configuration. A single server tells none.
	 */
	void follow(byte[] configuration) {
		try {
			Properties properties = new Properties();
			properties.load(new ByteArrayInputStream(configuration));
			String addresses = EnsembleTracker.configToConnectionString(new QuorumMaj(properties));
			String before = this.ensemble.getConnectionString();
			String after = addresses + ((before.indexOf('/') >= 0) ? before.substring(before.indexOf('/')) : "");
			if (!addresses.isEmpty() && !after.equals(before)) {
				logger.info("ZooKeeper's servers are at '%s' now".formatted(PrintableText.of(after)));
				this.ensemble.setConnectionString(after);
			}
		}
		catch (Exception ex) {
			logger.warn("ZooKeeper told a configuration that cannot be read; its servers are looked for where "
					+ "they were: " + PrintableText.of(String.valueOf(ex.getMessage())));
		}
	}

}
