package io.interlock.curator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockPage;
import io.interlock.admin.LockQuery;
import io.interlock.admin.QueuedLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Reads the locks below a root path in ZooKeeper, whoever made them. One deadline covers
 * an answer, and no thread but the caller's waits for it. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class CuratorLockInspector implements LockInspector {

	/**
	 * A longer answer than the client takes would close its connection. Names of locks
	 * are shorter than this.
	 */
	private static final int NAME_BYTES = 208;

	private final ClientHandle handle;

	private final LockPaths paths;

	/**
	 * Create an inspector.
	 * @param client a client that was started
	 * @param rootPath absolute path below which the locks are
	 */
	public CuratorLockInspector(CuratorFramework client, String rootPath) {
		Assert.notNull(client, "'client' must not be null");
		Assert.hasText(rootPath, "'rootPath' must not be empty");
		this.handle = new ClientHandle(client);
		this.paths = new LockPaths(rootPath);
	}

	@Override
	public LockPage locks(LockQuery query) {
		Found found = new OperatorCall(this.handle).await((zooKeeper, reads) -> read(reads, query), this::failed);
		return page(query, found);
	}

	private LockInspectionException failed(Throwable cause) {
		if (cause instanceof LockInspectionException known) {
			return known;
		}
		if (cause instanceof TimeoutException) {
			return new LockInspectionException(("ZooKeeper did not answer all reads within %s. If it is well, ask for "
					+ "fewer locks, or fewer contenders of each")
				.formatted(OperatorCall.TIMEOUT), cause);
		}
		if (cause instanceof NoAuthException) {
			return new LockInspectionException(
					"ZooKeeper does not let this client read %s: check its credentials and the ACL of that path"
						.formatted(this.paths.root()),
					cause);
		}
		return new LockInspectionException("Locks could not be read from ZooKeeper: " + cause.getMessage(), cause);
	}

	private CompletableFuture<Found> read(BoundedReads reads, LockQuery query) {
		QueueReader reader = new QueueReader(reads, query.queueLimit());
		return nodes(reads, query).thenCompose((nodes) -> {
			List<String> page = nodes.stream().skip(query.offset()).limit(query.limit()).toList();
			return QueueReader.all(page, (node) -> reader.read(absolute("/" + node)))
				.thenApply((readings) -> new Found(nodes.size(), readings));
		});
	}

	private LockPage page(LockQuery query, Found found) {
		Instant now = Instant.now();
		List<QueuedLock> locks = found.readings()
			.stream()
			.flatMap(Optional::stream)
			.map((reading) -> reading.describe(this.paths.root(), now))
			.toList();
		return new LockPage(this.paths.root(), now, found.total(), query.offset(), query.limit(), query.queueLimit(),
				locks);
	}

	/**
	 * List the nodes of the locks that a query meets. With a name and a key there is one,
	 * and no list has to be read.
	 */
	private CompletableFuture<List<String>> nodes(BoundedReads reads, LockQuery query) {
		String name = query.name();
		if (name != null && query.key() != null) {
			String node = LockPaths.nodeOf(new LockId(name, query.key()));
			return reads.stat(absolute("/" + node))
				.thenApply((stat) -> stat.isPresent() ? List.of(node) : List.<String>of());
		}
		Function<List<String>, List<String>> select = (children) -> select(children, name);
		return reads.stat(absolute("")).thenCompose((stat) -> {
			stat.ifPresent((root) -> checkSize(root.getNumChildren(), reads));
			return reads.children(absolute(""));
		}).thenApply((children) -> children.map(select).orElseGet(List::of));
	}

	private String absolute(String below) {
		return this.handle.absolute(this.paths.root() + below);
	}

	private static List<String> select(List<String> children, @Nullable String name) {
		return children.stream()
			.filter((node) -> !node.startsWith("."))
			.filter((node) -> name == null || LockNames.mayBeOf(node, name))
			.sorted()
			.toList();
	}

	private void checkSize(int locks, BoundedReads reads) {
		if (locks > reads.maxChildren(NAME_BYTES)) {
			throw new LockInspectionException(("There are %d nodes below %s: a list of them may be longer than the %d "
					+ "bytes that this client takes. Ask for one lock by its name and key, or raise jute.maxbuffer")
				.formatted(locks, this.paths.root(), reads.maxPacket()), null);
		}
	}

	private record Found(int total, List<Optional<QueueReading>> readings) {

	}

}
