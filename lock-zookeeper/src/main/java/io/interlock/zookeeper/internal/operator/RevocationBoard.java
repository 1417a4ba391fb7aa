package io.interlock.zookeeper.internal.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.interlock.LockHandle;
import io.interlock.RevocationRequest;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.session.AnswerCode;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.Assert;

/**
 * The node that stores revocation requests, watched by every instance that takes them. It
 * is one node beside all locks: a request in the node of a lock would replace its owner
 * record, as Curator's revocation does, and one below the lock would contend for it
 * (CURATOR-43). Invariant: a request is added by comparing versions, so that concurrent
 * requests do not replace each other.
 * <p>
 * An object passes the requests on to the holders of its instance. It reads the node
 * again after each connection, so that a request made while the instance is cut off
 * arrives late and is not missed. Invariant: a request is passed on once, to the holder
 * at that time. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RevocationBoard implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RevocationBoard.class);

	/** No lock has such a name: see {@link LockPaths#nodeOf}. */
	static final String NODE = "/.revocations";

	private static final int TRIES = 10;

	private static final int THREADS = 4;

	private static final int QUEUED = 100;

	private final CuratorFramework client;

	private final ClientHandle handle;

	private final String path;

	private final Predicate<Predicate<LockHandle>> held;

	private final BiConsumer<Predicate<LockHandle>, RevocationRequest> target;

	private final ThreadPoolExecutor executor = executor();

	/** The same object for all registrations, so that the client keeps it once. */
	private final Watcher watcher = this::changed;

	private final ConnectionStateListener listener = this::connectionChanged;

	private volatile boolean closed;

	private Set<String> known = Set.of();

	/** Create a board that its instance will watch. */
	public RevocationBoard(CuratorFramework client, String rootPath, Predicate<Predicate<LockHandle>> held,
			BiConsumer<Predicate<LockHandle>, RevocationRequest> target) {
		Assert.notNull(client, "'client' must not be null");
		Assert.hasText(rootPath, "'rootPath' must not be empty");
		Assert.notNull(held, "'held' must not be null");
		Assert.notNull(target, "'target' must not be null");
		this.client = client;
		this.handle = new ClientHandle(client);
		this.path = this.handle.absolute(rootPath + NODE);
		this.held = held;
		this.target = target;
	}

	private static ThreadPoolExecutor executor() {
		CustomizableThreadFactory threadFactory = new CustomizableThreadFactory("interlock-worker-revocation-");
		threadFactory.setDaemon(true);
		ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(QUEUED), threadFactory);
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	/** Start to watch, now if there is a connection, and after each new connection. */
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

	/** Watch first, read afterwards: later changes, or the creation, are new events. */
	private void read() {
		ZooKeeper zooKeeper = this.closed ? null : this.handle.connected();
		if (zooKeeper != null) {
			zooKeeper.exists(this.path, this.watcher,
					(code, at, context, stat) -> watched(zooKeeper, AnswerCode.of(code), stat), null);
		}
	}

	private void watched(ZooKeeper zooKeeper, Code code, @Nullable Stat stat) {
		if (stat != null && stat.getDataLength() > RevocationRecord.MAX_BYTES) {
			logger.warn(("%s has %d bytes, more than Interlock writes: the requests in it are ignored. Find out which "
					+ "client wrote it")
				.formatted(this.path, stat.getDataLength()));
		}
		else if (code == Code.OK) {
			zooKeeper.getData(this.path, false,
					(result, at, context, data, read) -> answered(AnswerCode.of(result), data), null);
		}
		else {
			answered(code, null);
		}
	}

	private void answered(Code code, byte @Nullable [] data) {
		if (code == Code.OK) {
			passOn(RevocationRecord.parse(data));
		}
		else if (code != Code.NONODE) {
			failed(code);
		}
	}

	/** Log a failure, unless a new connection will repeat the read. */
	private void failed(Code code) {
		if (code != Code.CONNECTIONLOSS && code != Code.SESSIONEXPIRED && !this.closed) {
			logger.warn(("Requests of operators to give locks up cannot be read from %s: %s. Holders of this "
					+ "instance do not learn of them")
				.formatted(this.path, code));
		}
	}

	private void passOn(List<RevocationRecord> records) {
		for (RevocationRecord record : unknown(records)) {
			Predicate<LockHandle> meant = record::means;
			if (this.held.test(meant)) {
				passOn(meant, record.request());
			}
		}
	}

	private void passOn(Predicate<LockHandle> meant, RevocationRequest request) {
		try {
			this.executor.execute(() -> this.target.accept(meant, request));
		}
		catch (RejectedExecutionException ex) {
			logger.warn("A request of an operator to give a lock up is dropped, because %d are under way"
				.formatted(THREADS + QUEUED));
		}
	}

	private synchronized List<RevocationRecord> unknown(List<RevocationRecord> records) {
		List<RevocationRecord> unknown = records.stream()
			.filter((record) -> !this.known.contains(record.uuid()))
			.toList();
		this.known = records.stream().map(RevocationRecord::uuid).collect(Collectors.toUnmodifiableSet());
		return unknown;
	}

	/** Stop watching. Requests that have arrived are still passed on. */
	@Override
	public void close() {
		this.closed = true;
		this.executor.shutdown();
		this.client.getConnectionStateListenable().removeListener(this.listener);
		ZooKeeper zooKeeper = this.handle.connected();
		if (zooKeeper != null) {
			// Removing a single watch would leave it on the server.
			zooKeeper.removeAllWatches(this.path, Watcher.WatcherType.Data, true, (code, at, context) -> {
			}, null);
		}
	}

	static CompletableFuture<Code> pin(CuratorFramework client, String rootPath, OperatorCall call,
			RevocationRecord record) {
		return pin(client, rootPath + NODE, call, record, TRIES);
	}

	private static CompletableFuture<Code> pin(CuratorFramework client, String path, OperatorCall call,
			RevocationRecord record, int tries) {
		// Other operators may be writing too.
		return call.node(path, RevocationRecord.MAX_BYTES)
			.thenCompose((present) -> write(client, path, call, present, record))
			.thenCompose((code) -> switch (code) {
				case OK -> CompletableFuture.completedFuture(code);
				case BADVERSION, NONODE, NODEEXISTS -> (tries > 1) ? pin(client, path, call, record, tries - 1)
						: CompletableFuture.failedFuture(KeeperException.create(code, path));
				default -> CompletableFuture.failedFuture(KeeperException.create(code, path));
			});
	}

	private static CompletableFuture<Code> write(CuratorFramework client, String path, OperatorCall call,
			Optional<NodeData> present, RevocationRecord record) {
		CompletableFuture<Code> done = new CompletableFuture<>();
		if (present.isPresent()) {
			List<RevocationRecord> records = new ArrayList<>(RevocationRecord.parse(present.get().data()));
			records.add(record);
			byte[] data = RevocationRecord
				.write(records.subList(Math.max(0, records.size() - RevocationRecord.KEPT), records.size()));
			call.zooKeeper()
				.setData(call.absolute(path), data, present.get().stat().getVersion(),
						(code, at, context, stat) -> done.complete(AnswerCode.of(code)), null);
		}
		else {
			create(client, path, RevocationRecord.write(List.of(record)), done);
		}
		return done;
	}

	/** Create the node through Curator, which knows the ACL of the locks. */
	private static void create(CuratorFramework client, String path, byte[] data, CompletableFuture<Code> done) {
		try {
			client.create()
				.inBackground((from, event) -> done.complete(AnswerCode.of(event.getResultCode())))
				.forPath(path, data);
		}
		catch (Exception ex) {
			done.completeExceptionally(ex);
		}
	}

}
