package io.interlock.zookeeper.internal.operator;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.admin.LockInspectionBusyException;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.TooManyLocksException;
import io.interlock.zookeeper.internal.node.LockPaths;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * {@link LockInspector} for ZooKeeper. It shows the locks of all clients. Safe for use by
 * many threads.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockInspector implements LockInspector {

	/** Upper bound for the length of a lock's node name. */
	private static final int NAME_BYTES = 208;

	/** Limit of reads that put busy locks first; more would take too long for a call. */
	private static final int MAX_RANKED = 1000;

	private final CuratorFramework client;

	private final String root;

	private final Duration timeout;

	/** Create an inspector; the reads of one call take no longer than the timeout. */
	public ZooKeeperLockInspector(CuratorFramework client, String rootPath, Duration timeout) {
		Assert.notNull(client, "'client' must not be null");
		Assert.hasText(rootPath, "'rootPath' must not be empty");
		this.client = client;
		this.root = rootPath;
		this.timeout = timeout;
	}

	@Override
	public LockInspector.Page locks(LockInspector.Query query) {
		return OperatorCall.read(this.client, this.timeout, (call) -> read(call, query), this::failure);
	}

	private CompletableFuture<LockInspector.Page> read(OperatorCall call, LockInspector.Query query) {
		QueueReader reader = new QueueReader(call, this.root, id(query), query.queueLimit());
		return nodes(call, query).thenCompose((nodes) -> busyFirst(call, query, nodes)).thenCompose((nodes) -> {
			List<String> page = nodes.stream().skip(query.offset()).limit(query.limit()).toList();
			return OperatorCall.all(page, reader::read)
				.thenApply((locks) -> new LockInspector.Page(this.root, reader.readAt(), nodes.size(), query.offset(),
						query.limit(), query.queueLimit(), locks.stream().flatMap(Optional::stream).toList()));
		});
	}

	/** With a name and a key there is at most one node, and no list is read. */
	private CompletableFuture<List<String>> nodes(OperatorCall call, LockInspector.Query query) {
		LockId id = id(query);
		if (id != null) {
			String node = LockPaths.nodeOf(id);
			return call.stat(this.root + "/" + node)
				.thenApply((stat) -> stat.isPresent() ? List.of(node) : List.<String>of());
		}
		return call.stat(this.root).thenCompose((stat) -> {
			stat.ifPresent((found) -> checkSize(found.getNumChildren(), call));
			return call.children(this.root);
		}).thenApply((children) -> select(children.orElse(List.of()), query.name()));
	}

	/** Return the one lock that a query names, or {@code null} if there may be many. */
	private static @Nullable LockId id(LockInspector.Query query) {
		return (query.name() != null && query.key() != null) ? new LockId(query.name(), query.key()) : null;
	}

	/** Put the nodes that have children first. Each kind keeps its order. */
	private CompletableFuture<List<String>> busyFirst(OperatorCall call, LockInspector.Query query,
			List<String> nodes) {
		if (!query.busy() && nodes.size() > MAX_RANKED) {
			return CompletableFuture.completedFuture(nodes);
		}
		return OperatorCall.all(nodes, (node) -> isBusy(call, node))
			.thenApply((busy) -> IntStream.range(0, nodes.size())
				.filter((i) -> busy.get(i) || !query.busy())
				.boxed()
				.sorted(Comparator.comparing((i) -> !busy.get(i)))
				.map(nodes::get)
				.toList());
	}

	/** A lock that may not be read may have contenders. */
	private CompletableFuture<Boolean> isBusy(OperatorCall call, String node) {
		return QueueReader.unlessForbidden(
				call.stat(this.root + "/" + node).thenApply((stat) -> stat.map(Stat::getNumChildren).orElse(0) > 0),
				true);
	}

	private static List<String> select(List<String> children, @Nullable String name) {
		return children.stream()
			.filter((node) -> !node.startsWith("."))
			.filter((node) -> name == null || LockPaths.mayBeOf(node, name))
			.sorted()
			.toList();
	}

	private void checkSize(int locks, OperatorCall call) {
		if (locks > call.maxChildren(NAME_BYTES)) {
			throw new TooManyLocksException(("There are %d nodes below %s: a list of them may be longer than the %d "
					+ "bytes that this client takes. Ask for one lock by its name and key, or raise jute.maxbuffer")
				.formatted(locks, this.root, call.maxPacket()));
		}
	}

	private LockInspectionException failure(Throwable cause) {
		if (cause instanceof LockInspectionException known) {
			return known;
		}
		if (cause instanceof TimeoutException) {
			return new LockInspectionBusyException(
					("ZooKeeper did not answer all reads within %s. If it is healthy, ask "
							+ "for fewer locks, or for fewer contenders of each, or set interlock.zookeeper.operator-timeout")
						.formatted(this.timeout),
					cause);
		}
		if (cause instanceof NoAuthException) {
			return new LockInspectionException(
					"ZooKeeper does not allow this client to read %s: check its credentials and the ACL of that path"
						.formatted(this.root),
					cause);
		}
		return new LockInspectionException("Locks could not be read from ZooKeeper: " + cause.getMessage(), cause);
	}

}
