package io.interlock.zookeeper.internal.operator;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspectionException;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One call of an operator: any number of requests under one deadline, on the connection
 * that the locks use too. Invariants: no thread but the caller's waits; after a failure
 * or the deadline no further read is sent; no more than {@value #MAX_BYTES} bytes of data
 * and lists are asked for, and no data of a node that has more than a record can have. A
 * node that may not be read fails its own read only.
 */
final class OperatorCall {

	private static final int MAX_BYTES = 8 * 1024 * 1024;

	private final ClientHandle handle;

	private final Reads reads;

	private final ZooKeeper zooKeeper;

	private final AtomicLong bytesLeft = new AtomicLong(MAX_BYTES);

	private volatile boolean stopped;

	private OperatorCall(ClientHandle handle, Reads reads, ZooKeeper zooKeeper) {
		this.handle = handle;
		this.reads = reads;
		this.zooKeeper = zooKeeper;
	}

	/** Read like {@link #perform}, unless too many views are read already. */
	static <T> T read(CuratorFramework client, Duration timeout, Function<OperatorCall, CompletableFuture<T>> requests,
			Function<Throwable, RuntimeException> failure) {
		Reads reads = Reads.of(client);
		if (!reads.tryBegin()) {
			throw new LockInspectionBusyException(
					"%d calls already read the locks of the cluster. Try again in a moment".formatted(Reads.CALLS),
					null);
		}
		try {
			return perform(client, timeout, requests, failure);
		}
		finally {
			reads.end();
		}
	}

	/** Send requests and await their answer. Failures become those of the caller. */
	static <T> T perform(CuratorFramework client, Duration timeout,
			Function<OperatorCall, CompletableFuture<T>> requests, Function<Throwable, RuntimeException> failure) {
		ClientHandle handle = new ClientHandle(client);
		ZooKeeper zooKeeper = handle.connected();
		if (zooKeeper == null) {
			throw new LockInspectionException("There is no connection to ZooKeeper", null);
		}
		OperatorCall call = new OperatorCall(handle, Reads.of(client), zooKeeper);
		try {
			return requests.apply(call).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw failure.apply(Objects.requireNonNull(ex.getCause()));
		}
		catch (TimeoutException ex) {
			throw failure.apply(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure.apply(ex);
		}
		finally {
			call.stopped = true;
		}
	}

	ZooKeeper zooKeeper() {
		return this.zooKeeper;
	}

	String absolute(String path) {
		return this.handle.absolute(path);
	}

	/** Return whether another answer of a length keeps the limit of all. */
	boolean affords(int bytes) {
		return this.bytesLeft.addAndGet(-bytes) >= 0;
	}

	/** A list that is too long for the client would close the connection of the locks. */
	int maxChildren(int bytesOfName) {
		return maxPacket() / bytesOfName;
	}

	int maxPacket() {
		return this.zooKeeper.getClientConfig()
			.getInt(ZKClientConfig.JUTE_MAXBUFFER, ZKClientConfig.CLIENT_MAX_PACKET_LENGTH_DEFAULT);
	}

	CompletableFuture<Optional<Stat>> stat(String path) {
		return read(path, (at, answer) -> this.zooKeeper.exists(at, false,
				(code, from, context, stat) -> answer.accept(ClientHandle.code(code), stat), null));
	}

	CompletableFuture<Optional<List<String>>> children(String path) {
		return read(path, (at, answer) -> this.zooKeeper.getChildren(at, false, (int code, String from, Object context,
				List<String> children) -> answer.accept(ClientHandle.code(code), children), null));
	}

	/** Read a node, and its data unless no record of an owner is that long. */
	CompletableFuture<Optional<NodeData>> node(String path) {
		return node(path, OwnerRecord.MAX_BYTES);
	}

	CompletableFuture<Optional<NodeData>> node(String path, int maxBytes) {
		return stat(path).thenCompose((found) -> {
			int length = found.map(Stat::getDataLength).orElse(0);
			return (length > 0 && length <= maxBytes && affords(length)) ? data(path)
					: CompletableFuture.completedFuture(found.map((stat) -> new NodeData(null, stat)));
		});
	}

	private CompletableFuture<Optional<NodeData>> data(String path) {
		return read(path, (at, answer) -> this.zooKeeper.getData(at, false, (code, from, context, data, stat) -> answer
			.accept(ClientHandle.code(code), (stat != null) ? new NodeData(data, stat) : null), null));
	}

	/** Read when the client has few reads in flight; empty if there is no such node. */
	private <T> CompletableFuture<Optional<T>> read(String path,
			BiConsumer<String, BiConsumer<Code, @Nullable T>> request) {
		CompletableFuture<Optional<T>> done = new CompletableFuture<>();
		this.reads.send(() -> {
			if (this.stopped) {
				return false;
			}
			request.accept(absolute(path), (code, result) -> {
				answer(done, path, code, result);
				this.reads.answered();
			});
			return true;
		});
		return done;
	}

	private <T> void answer(CompletableFuture<Optional<T>> done, String path, Code code, @Nullable T result) {
		switch (code) {
			case OK -> done.complete(Optional.ofNullable(result));
			case NONODE -> done.complete(Optional.empty());
			case NOAUTH -> done.completeExceptionally(KeeperException.create(code, path));
			default -> {
				this.stopped = true;
				done.completeExceptionally(KeeperException.create(code, path));
			}
		}
	}

	static <T, R> CompletableFuture<List<R>> all(List<T> items, Function<T, CompletableFuture<R>> action) {
		List<CompletableFuture<R>> results = items.stream().map(action).toList();
		return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
			.thenApply((done) -> results.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Limits the reads of one client's operators together, so that locks, which use the
	 * same connection, are not held up. Invariants: at most {@value #IN_FLIGHT} reads are
	 * in flight, those of calls that have given up included; at most {@value #CALLS}
	 * calls read at once. Safe for use by many threads.
	 */
	static final class Reads {

		static final int IN_FLIGHT = 32;

		static final int CALLS = 2;

		private static final Map<CuratorFramework, Reads> OF_CLIENTS = Collections.synchronizedMap(new WeakHashMap<>());

		private final Semaphore calls = new Semaphore(CALLS);

		private final Semaphore free = new Semaphore(IN_FLIGHT);

		private final Queue<BooleanSupplier> waiting = new ConcurrentLinkedQueue<>();

		/** Return the instance that all operators of a client share. */
		static Reads of(CuratorFramework client) {
			return OF_CLIENTS.computeIfAbsent(client, (added) -> new Reads());
		}

		boolean tryBegin() {
			return this.calls.tryAcquire();
		}

		void end() {
			this.calls.release();
		}

		/** Send a read when there is room, unless it is not wanted any more. */
		void send(BooleanSupplier read) {
			this.waiting.add(read);
			sendWaiting();
		}

		void answered() {
			this.free.release();
			sendWaiting();
		}

		private void sendWaiting() {
			while (!this.waiting.isEmpty() && this.free.tryAcquire()) {
				BooleanSupplier next = this.waiting.poll();
				if (next == null || !next.getAsBoolean()) {
					this.free.release();
				}
			}
		}

	}

}
