package io.interlock.zookeeper.internal.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockContender.Kind;
import io.interlock.admin.LockInspector.QueuedLock;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.NodeName;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/** Reads locks with their queues, each in one or two round trips. */
final class QueueReader {

	private static final int MAX_OTHERS = 10;

	private final OperatorCall call;

	private final @Nullable LockId asked;

	private final String root;

	private final int limit;

	private final Instant now = Instant.now();

	QueueReader(OperatorCall call, String root, @Nullable LockId asked, int limit) {
		this.call = call;
		this.asked = asked;
		this.root = root;
		this.limit = limit;
	}

	Instant readAt() {
		return this.now;
	}

	CompletableFuture<Optional<QueuedLock>> read(String node) {
		String path = this.root + "/" + node;
		return unlessForbidden(this.call.stat(path).thenCompose((stat) -> {
			int children = stat.map(Stat::getNumChildren).orElse(0);
			if (stat.isEmpty() || children == 0) {
				return completed(stat.map((free) -> describe(node, new Contenders(List.of()), List.of(), List.of())));
			}
			if (children > this.call.maxChildren(NodeName.NAME_BYTES)
					|| !this.call.affords(children * NodeName.NAME_BYTES)) {
				return completed(Optional.of(unreadable(node, children)));
			}
			return this.call.children(path)
				.thenCompose((names) -> names.isPresent() ? readQueue(node, names.get()) : completed(Optional.empty()));
		}), Optional.of(unreadable(node, 0)));
	}

	private CompletableFuture<Optional<QueuedLock>> readQueue(String node, List<String> names) {
		String path = this.root + "/" + node + "/";
		List<String> others = names.stream()
			.filter((name) -> NodeName.parse(name) == null && !Contenders.keeps(name, this.now))
			.sorted()
			.limit(MAX_OTHERS)
			.toList();
		List<NodeName> kept = Contenders.keeping(names, this.now);
		return inOrder(path, NodeName.parseAll(names)).thenCompose((queue) -> {
			Contenders contenders = Contenders.of(kept, queue);
			List<NodeName> shown = contenders.inOrder().subList(0, Math.min(this.limit, contenders.inOrder().size()));
			return OperatorCall
				.all(shown, (contender) -> unlessForbidden(this.call.node(path + contender.name()), Optional.empty()))
				.thenApply((data) -> Optional.of(describe(node, contenders, data, others)));
		});
	}

	private CompletableFuture<List<NodeName>> inOrder(String path, List<NodeName> contenders) {
		if (NodeName.areOrderedBySequence(contenders)) {
			return completed(NodeName.inOrder(contenders, Map.of()));
		}
		return OperatorCall.all(contenders, (contender) -> this.call.stat(path + contender.name()))
			.thenApply((stats) -> {
				Map<String, Long> created = new HashMap<>();
				for (int i = 0; i < stats.size(); i++) {
					String name = contenders.get(i).name();
					stats.get(i).ifPresent((stat) -> created.put(name, stat.getCzxid()));
				}
				return NodeName.inOrder(contenders, created);
			});
	}

	private QueuedLock unreadable(String node, int children) {
		return lock(node, false, null, children, List.of(), 0, List.of());
	}

	/** Data is read for the first contenders, and empty for a node that has gone. */
	private QueuedLock describe(String node, Contenders contenders, List<Optional<NodeData>> data,
			List<String> others) {
		List<NodeName> names = contenders.inOrder();
		List<LockContender> shown = new ArrayList<>();
		for (int position = 0; position < data.size(); position++) {
			shown.add(describe(position, names.get(position), data.get(position).orElse(null)));
		}
		LockMode mode = names.isEmpty() ? null : names.get(0).mode();
		return lock(node, true, mode, names.size(), shown, contenders.holders(), others);
	}

	private QueuedLock lock(String node, boolean readable, @Nullable LockMode mode, int contenders,
			List<LockContender> shown, int holders, List<String> others) {
		LockId known = LockPaths.isShortened(node) ? recordedId(node, shown) : LockPaths.idOf(node);
		LockId id = (known != null) ? known : inexactId(node);
		int queuedFrom = Math.min(holders, shown.size());
		return new QueuedLock(id.name(), id.key(), known != null, this.root + "/" + node, readable, mode, contenders,
				shown.subList(0, queuedFrom), shown.subList(queuedFrom, shown.size()), contenders - shown.size(),
				others, (contenders > holders) ? blocker(shown) : null);
	}

	private static LockId inexactId(String node) {
		return LockPaths.isShortened(node) ? LockPaths.startOf(node) : LockPaths.ofUnknown(node);
	}

	/**
	 * Find a blocker, a first node without a holder: one that keeps the lock, or one that
	 * is older than a session timeout.
	 */
	private @Nullable String blocker(List<LockContender> shown) {
		LockContender first = shown.isEmpty() ? null : shown.get(0);
		if (first != null && first.keptUntil() != null) {
			return first.node();
		}
		ContenderOwner owner = (first != null) ? first.owner() : null;
		if (first == null || owner == null || first.age() == null
				|| first.age().toMillis() <= this.call.zooKeeper().getSessionTimeout()) {
			return null;
		}
		return (first.session() == null || owner.kind() != ContenderOwner.Kind.INTERLOCK) ? first.node() : null;
	}

	/**
	 * Return the name and key of a shortened node. The hash in the node's name proves
	 * them.
	 */
	private @Nullable LockId recordedId(String node, List<LockContender> shown) {
		if (this.asked != null && LockPaths.nodeOf(this.asked).equals(node)) {
			return this.asked;
		}
		return shown.stream()
			.flatMap((contender) -> Stream.ofNullable(contender.owner()))
			.flatMap((owner) -> Stream.ofNullable(recordedId(owner)))
			.filter((id) -> LockPaths.nodeOf(id).equals(node))
			.findFirst()
			.orElse(null);
	}

	private static @Nullable LockId recordedId(ContenderOwner owner) {
		boolean valid = StringUtils.hasText(owner.name()) && owner.name().length() <= LockId.MAX_LENGTH
				&& (owner.key() == null || (!owner.key().isBlank() && owner.key().length() <= LockId.MAX_LENGTH));
		return (owner.name() != null && valid) ? new LockId(owner.name(), owner.key()) : null;
	}

	private LockContender describe(int position, NodeName contender, @Nullable NodeData data) {
		Instant end = Contenders.keptUntil(contender.name());
		LockContender described = describeNode(position, contender, data);
		return (end != null) ? described.keptUntil(end) : described;
	}

	private LockContender describeNode(int position, NodeName contender, @Nullable NodeData data) {
		Long token = Contenders.token(contender.name(), (data != null) ? data.stat() : null);
		if (data == null) {
			return new LockContender(position, contender.name(), kind(contender), contender.mode(), token, null, null,
					null, null);
		}
		long session = data.stat().getEphemeralOwner();
		Instant since = Instant.ofEpochMilli(data.stat().getCtime());
		Duration age = Duration.between(since, this.now);
		return new LockContender(position, contender.name(), kind(contender), contender.mode(), token,
				(session != 0) ? "0x" + Long.toHexString(session) : null, since, age.isNegative() ? Duration.ZERO : age,
				data.owner());
	}

	private static Kind kind(NodeName contender) {
		if (Contenders.keptUntil(contender.name()) != null) {
			return Kind.INTERLOCK_KEPT;
		}
		if (contender.mode() == LockMode.PERMIT) {
			return Kind.INTERLOCK_PERMIT;
		}
		return switch (contender.marker()) {
			case "__WRIT__" -> Kind.CURATOR_WRITE;
			case "__READ__" -> Kind.CURATOR_READ;
			case "__lock__" -> Kind.KAZOO_LOCK;
			case "__rlock__" -> Kind.KAZOO_READ;
			default -> Kind.CURATOR_MUTEX;
		};
	}

	private static <T> CompletableFuture<T> completed(T value) {
		return CompletableFuture.completedFuture(value);
	}

	/** Return another result where a node may not be read. */
	static <T> CompletableFuture<T> unlessForbidden(CompletableFuture<T> reading, T otherwise) {
		return reading.exceptionally((ex) -> {
			Throwable cause = (ex instanceof CompletionException) ? ex.getCause() : ex;
			if (cause instanceof NoAuthException) {
				return otherwise;
			}
			throw new CompletionException(cause);
		});
	}

}
