package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.RevocationRequest;
import io.interlock.internal.LockThreads;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonWriter;
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

	private final @Nullable String provider;

	private final Predicate<Predicate<LockHandle>> held;

	private final BiConsumer<Predicate<LockHandle>, RevocationRequest> target;

	private final ExecutorService executor = LockThreads.WORKER.pools("revocation").bounded(THREADS, QUEUED);

	/** The same object for all registrations, so that the client keeps it once. */
	private final Watcher watcher = (event) -> {
		if (event.getType() != EventType.None) {
			read();
		}
	};

	private final ConnectionStateListener listener = (from, state) -> {
		if (state == ConnectionState.CONNECTED || state == ConnectionState.RECONNECTED) {
			read();
		}
	};

	private volatile boolean closed;

	private Set<String> known = Set.of();

	/**
	 * Create a board.
	 * @param client connection to the servers
	 * @param rootPath path below which the locks are
	 * @param provider name of the provider of the locks, {@code null} for the default one
	 * @param held whether any hold of this instance is meant
	 * @param target passes a request on to the holds that are meant
	 */
	public RevocationBoard(CuratorFramework client, String rootPath, @Nullable String provider,
			Predicate<Predicate<LockHandle>> held, BiConsumer<Predicate<LockHandle>, RevocationRequest> target) {
		Assert.notNull(client, "'client' must not be null");
		Assert.hasText(rootPath, "'rootPath' must not be empty");
		Assert.notNull(held, "'held' must not be null");
		Assert.notNull(target, "'target' must not be null");
		this.client = client;
		this.handle = new ClientHandle(client);
		this.path = this.handle.absolute(rootPath + NODE);
		this.provider = provider;
		this.held = held;
		this.target = target;
	}

	/** Start to watch, now if there is a connection, and after each new connection. */
	public void start() {
		this.client.getConnectionStateListenable().addListener(this.listener);
		read();
	}

	/**
	 * Watch first and read afterwards, so that later changes, or the creation, are
	 * events.
	 */
	private void read() {
		ZooKeeper zooKeeper = this.closed ? null : this.handle.connected();
		if (zooKeeper != null) {
			zooKeeper.exists(this.path, this.watcher,
					(code, at, context, stat) -> watched(zooKeeper, ClientHandle.code(code), stat), null);
		}
	}

	private void watched(ZooKeeper zooKeeper, Code code, @Nullable Stat stat) {
		if (stat != null && stat.getDataLength() > Line.MAX_BYTES) {
			logger.warn(("%s has %d bytes, more than Interlock writes: the requests in it are ignored. Find out which "
					+ "client wrote it")
				.formatted(this.path, stat.getDataLength()));
		}
		else if (code == Code.OK) {
			zooKeeper.getData(this.path, false,
					(result, at, context, data, read) -> answered(ClientHandle.code(result), data), null);
		}
		else {
			answered(code, null);
		}
	}

	/** Log a failure, unless a new connection will repeat the read. */
	private void answered(Code code, byte @Nullable [] data) {
		if (code == Code.OK) {
			passOn(Line.parse(data));
		}
		else if (code != Code.NONODE && code != Code.CONNECTIONLOSS && code != Code.SESSIONEXPIRED && !this.closed) {
			logger.warn(("Requests by operators to give up locks cannot be read from %s: %s. Holders of this "
					+ "instance do not get them")
				.formatted(this.path, code));
		}
	}

	private void passOn(List<Line> records) {
		for (Line record : unknown(records)) {
			Predicate<LockHandle> meant = (hold) -> Objects.equals(this.provider, hold.id().provider())
					&& record.means(hold);
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
			logger.warn("A request by an operator to give up a lock was dropped, because %d are in progress"
				.formatted(THREADS + QUEUED));
		}
	}

	private synchronized List<Line> unknown(List<Line> records) {
		List<Line> unknown = records.stream().filter((record) -> !this.known.contains(record.uuid())).toList();
		this.known = records.stream().map(Line::uuid).collect(Collectors.toUnmodifiableSet());
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

	static CompletableFuture<Code> pin(CuratorFramework client, String rootPath, OperatorCall call, Line record) {
		return pin(client, rootPath + NODE, call, record, TRIES);
	}

	private static CompletableFuture<Code> pin(CuratorFramework client, String path, OperatorCall call, Line record,
			int tries) {
		// Other operators may be writing too.
		return call.node(path, Line.MAX_BYTES)
			.thenCompose((present) -> write(client, path, call, present, record))
			.thenCompose((code) -> switch (code) {
				case OK -> CompletableFuture.completedFuture(code);
				case BADVERSION, NONODE, NODEEXISTS -> (tries > 1) ? pin(client, path, call, record, tries - 1)
						: CompletableFuture.failedFuture(KeeperException.create(code, path));
				default -> CompletableFuture.failedFuture(KeeperException.create(code, path));
			});
	}

	private static CompletableFuture<Code> write(CuratorFramework client, String path, OperatorCall call,
			Optional<NodeData> present, Line record) {
		CompletableFuture<Code> done = new CompletableFuture<>();
		if (present.isPresent()) {
			List<Line> records = new ArrayList<>(Line.parse(present.get().data()));
			records.add(record);
			byte[] data = Line.write(records.subList(Math.max(0, records.size() - Line.KEPT), records.size()));
			call.zooKeeper()
				.setData(call.absolute(path), data, present.get().stat().getVersion(),
						(code, at, context, stat) -> done.complete(ClientHandle.code(code)), null);
		}
		else {
			create(client, path, Line.write(List.of(record)), done);
		}
		return done;
	}

	/** Create the node through Curator, which knows the ACL of the locks. */
	private static void create(CuratorFramework client, String path, byte[] data, CompletableFuture<Code> done) {
		try {
			client.create()
				.inBackground((from, event) -> done.complete(ClientHandle.code(event.getResultCode())))
				.forPath(path, data);
		}
		catch (Exception ex) {
			done.completeExceptionally(ex);
		}
	}

	/**
	 * One line of a {@link RevocationBoard}: a request to the holder of a lock by its
	 * token and hand-off number, or by its token alone. The lock is named by its node.
	 */
	record Line(String uuid, String lock, long token, @Nullable Integer handoff, RevocationRequest request) {

		/** A board keeps the last requests only. */
		static final int KEPT = 20;

		/** Upper bound for a line that is a record. */
		static final int MAX_LENGTH = 2048;

		/** Upper bound for the data of Interlock. */
		static final int MAX_BYTES = KEPT * (MAX_LENGTH + 1);

		private static final int VERSION = 1;

		private static final int MAX_UUID = 64;

		private static final int MAX_TEXT = 256;

		private static final JsonWriter<Line> WRITER = JsonWriter.of((json) -> {
			json.add("version", VERSION);
			json.add("uuid", Line::uuid);
			json.add("lock", Line::lock);
			json.add("token", Line::token);
			json.add("handoff", Line::handoff).whenNotNull();
			json.add("requestedBy", (record) -> OwnerRecord.cut(record.request().requestedBy(), 200));
			json.add("requestedAt", (record) -> record.request().requestedAt());
		});

		/**
		 * Return whether a hold is meant. Tokens are never reused, so an old request
		 * means none.
		 */
		boolean means(LockHandle hold) {
			return this.token == hold.fencingToken() && (this.handoff == null || this.handoff == hold.handoff())
					&& this.lock.equals(LockPaths.nodeOf(hold.id()));
		}

		static String text(Line record) {
			return OwnerRecord.toJson(WRITER, record);
		}

		static byte[] write(List<Line> records) {
			return records.stream()
				.map(Line::text)
				.collect(Collectors.joining("\n"))
				.getBytes(StandardCharsets.US_ASCII);
		}

		/**
		 * Read records of any client, skipping other lines. Only the last lines count, no
		 * more than a board keeps. Never fails.
		 */
		static List<Line> parse(byte @Nullable [] data) {
			if (data == null || data.length > MAX_BYTES) {
				return List.of();
			}
			List<String> lines = new String(data, StandardCharsets.UTF_8).lines().toList();
			return lines.stream()
				.skip(Math.max(0, lines.size() - KEPT))
				.filter((line) -> line.length() <= MAX_LENGTH)
				.flatMap((line) -> Stream.ofNullable(OwnerRecord.parse(line)))
				.flatMap((values) -> Stream.ofNullable(of(values)))
				.filter(Line::isShort)
				.toList();
		}

		private boolean isShort() {
			return this.uuid.length() <= MAX_UUID && this.lock.length() <= MAX_TEXT
					&& this.request.requestedBy().length() <= MAX_TEXT && text(this).length() <= MAX_LENGTH;
		}

		private static @Nullable Line of(Map<String, Object> values) {
			Integer handoff = (values.get("handoff") instanceof Long number) ? (Integer) number.intValue() : null;
			if (values.get("uuid") instanceof String uuid && values.get("lock") instanceof String lock
					&& values.get("token") instanceof Long token
					&& values.get("requestedBy") instanceof String requestedBy
					&& values.get("requestedAt") instanceof String requestedAt && !requestedBy.isBlank()) {
				try {
					return new Line(uuid, lock, token, handoff,
							new RevocationRequest(requestedBy, Instant.parse(requestedAt)));
				}
				catch (DateTimeException ex) {
					return null;
				}
			}
			return null;
		}

	}

}
