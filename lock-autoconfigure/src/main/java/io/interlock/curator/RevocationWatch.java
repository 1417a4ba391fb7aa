package io.interlock.curator;

import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.interlock.LockHandle;
import io.interlock.RevocationRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Tells this instance when an operator asks for locks to be given up. It watches one
 * node, and reads it again after each connection, so that a request which is made while
 * the instance is cut off arrives late and is not missed. Invariant: a request is passed
 * on once, to whoever holds the lock then. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RevocationWatch implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RevocationWatch.class);

	private final CuratorFramework client;

	private final ClientHandle handle;

	private final String path;

	private final BiConsumer<Predicate<LockHandle>, RevocationRequest> target;

	/**
	 * One object each for all registrations: the client keeps one of the same.
	 */
	private final Watcher watcher = this::changed;

	private final ConnectionStateListener listener = this::connectionChanged;

	private volatile boolean closed;

	private Set<String> known = Set.of();

	/**
	 * Create a watch.
	 * @param client a client that was started
	 * @param rootPath absolute path below which the locks are
	 * @param target who passes a request on to the holders that it means; called on a
	 * thread of its own for each request
	 */
	public RevocationWatch(CuratorFramework client, String rootPath,
			BiConsumer<Predicate<LockHandle>, RevocationRequest> target) {
		Assert.notNull(client, "'client' must not be null");
		Assert.hasText(rootPath, "'rootPath' must not be empty");
		Assert.notNull(target, "'target' must not be null");
		this.client = client;
		this.handle = new ClientHandle(client);
		this.path = this.handle.absolute(rootPath + RevocationBoard.NODE);
		this.target = target;
	}

	/**
	 * Begin to watch: now if there is a connection, and with each one that comes.
	 */
	public void start() {
		this.client.getConnectionStateListenable().addListener(this.listener);
		read();
	}

	private void connectionChanged(CuratorFramework from, ConnectionState state) {
		if (state == ConnectionState.CONNECTED || state == ConnectionState.RECONNECTED) {
			read();
		}
	}

	private void changed(WatchedEvent event) {
		if (event.getType() != EventType.None) {
			read();
		}
	}

	private void read() {
		ZooKeeper zooKeeper = this.closed ? null : this.handle.connected();
		if (zooKeeper != null) {
			zooKeeper.getData(this.path, this.watcher,
					(code, at, context, data, stat) -> answered(zooKeeper, Code.get(code), data), null);
		}
	}

	private void answered(ZooKeeper zooKeeper, Code code, byte @Nullable [] data) {
		switch (code) {
			case OK -> news(RevocationRecord.parse(data));
			case NONODE -> awaitCreation(zooKeeper);
			default -> failed(code);
		}
	}

	private void awaitCreation(ZooKeeper zooKeeper) {
		zooKeeper.exists(this.path, this.watcher, (code, at, context, stat) -> {
			switch (Code.get(code)) {
				case OK -> read();
				case NONODE -> {
					// Its creation is news.
				}
				default -> failed(Code.get(code));
			}
		}, null);
	}

	/**
	 * A lost connection comes back, and is followed by another reading.
	 */
	private void failed(Code code) {
		if (code != Code.CONNECTIONLOSS && code != Code.SESSIONEXPIRED && !this.closed) {
			logger.warn(("Requests of operators to give locks up cannot be read from %s: %s. Holders of this "
					+ "instance do not hear of them")
				.formatted(this.path, code));
		}
	}

	private void news(List<RevocationRecord> records) {
		for (RevocationRecord record : unknown(records)) {
			Thread thread = new Thread(() -> this.target.accept(record::means, record.request()),
					"interlock-revocation");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private synchronized List<RevocationRecord> unknown(List<RevocationRecord> records) {
		List<RevocationRecord> unknown = records.stream()
			.filter((record) -> !this.known.contains(record.uuid()))
			.toList();
		this.known = records.stream().map(RevocationRecord::uuid).collect(Collectors.toUnmodifiableSet());
		return unknown;
	}

	/**
	 * End to watch. Requests that arrived already are still passed on.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.client.getConnectionStateListenable().removeListener(this.listener);
		ZooKeeper zooKeeper = this.handle.connected();
		if (zooKeeper != null) {
			// All of them: a single one is removed from the client only, and not from the
			// server.
			zooKeeper.removeAllWatches(this.path, Watcher.WatcherType.Data, true, (code, at, context) -> {
			}, null);
		}
	}

}
