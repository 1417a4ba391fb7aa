package io.interlock.zookeeper.internal.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.BadVersionException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * {@link LockRevoker} for ZooKeeper. ZooKeeper deletes by path and not by transaction:
 * the node with a token is found first, and its path is deleted. Curator, Kazoo and
 * Interlock never use a path twice, because a random part of the name makes it unique; a
 * client without one could have made the path anew in between. Safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockRevoker implements LockRevoker {

	private final CuratorFramework client;

	private final String root;

	private final Duration timeout;

	/** Create a revoker; the requests of one call take no longer than the timeout. */
	public ZooKeeperLockRevoker(CuratorFramework client, String rootPath, Duration timeout) {
		Assert.notNull(client, "'client' must not be null");
		Assert.hasText(rootPath, "'rootPath' must not be empty");
		this.client = client;
		this.root = rootPath;
		this.timeout = timeout;
	}

	@Override
	public LockRevoker.Target release(LockId id, long token) {
		return perform(id, token, ZooKeeperLockRevoker::free);
	}

	@Override
	public LockRevoker.Target requestRevocation(LockId id, long token, @Nullable Integer handoff,
			RevocationRequest request) {
		RevocationBoard.Line record = new RevocationBoard.Line(UUID.randomUUID().toString(), LockPaths.nodeOf(id),
				token, handoff, request);
		return perform(id, token, (call, found) -> {
			if (found.waits()) {
				throw StaleTokenException.ofWaiter(id, token);
			}
			return found.isKept() ? free(call, found)
					: RevocationBoard.pin(this.client, this.root, call, record).thenApply((pinned) -> false);
		});
	}

	/** The action says whether it has freed what was found. */
	private LockRevoker.Target perform(LockId id, long token,
			BiFunction<OperatorCall, Found, CompletableFuture<Boolean>> action) {
		return OperatorCall.perform(this.client, this.timeout,
				(call) -> find(call, this.root + "/" + LockPaths.nodeOf(id), token).thenCompose((node) -> {
					Found found = node.orElseThrow(() -> new StaleTokenException(id, token));
					return action.apply(call, found)
						.thenApply((freed) -> new LockRevoker.Target(id, token, found.path(), found.data().owner(),
								freed, found.isKept()));
				}), (cause) -> failure(id, token, cause));
	}

	private static CompletableFuture<Optional<Found>> find(OperatorCall call, String lockPath, long token) {
		return call.stat(lockPath).thenCompose((stat) -> {
			int children = stat.map(Stat::getNumChildren).orElse(0);
			if (children > call.maxChildren(NodeName.NAME_BYTES)) {
				throw new LockInspectionException(
						"There are %d nodes, too many to find one of them: nothing was done. Raise jute.maxbuffer"
							.formatted(children),
						null);
			}
			return call.children(lockPath);
		}).thenCompose((children) -> {
			List<String> known = Contenders.among(children.orElse(List.of()));
			return OperatorCall.all(known, (name) -> call.stat(lockPath + "/" + name))
				.thenCompose((stats) -> find(call, lockPath, known, stats, token));
		});
	}

	/** Find the node with a token, and read the data of that one only. */
	private static CompletableFuture<Optional<Found>> find(OperatorCall call, String lockPath, List<String> names,
			List<Optional<Stat>> stats, long token) {
		for (int i = 0; i < names.size(); i++) {
			Stat stat = stats.get(i).orElse(null);
			String name = names.get(i);
			if (stat != null && isTokenOf(name, stat, token)) {
				boolean waits = contenders(names, stats).waits(name);
				return call.node(lockPath + "/" + name)
					.thenApply((node) -> node.filter((read) -> isTokenOf(name, read.stat(), token))
						.map((read) -> new Found(lockPath + "/" + name, read, waits)));
			}
		}
		return CompletableFuture.completedFuture(Optional.empty());
	}

	private static Contenders contenders(List<String> names, List<Optional<Stat>> stats) {
		Map<String, Long> created = new HashMap<>();
		for (int i = 0; i < names.size(); i++) {
			String name = names.get(i);
			stats.get(i).ifPresent((stat) -> created.put(name, stat.getCzxid()));
		}
		List<String> present = List.copyOf(created.keySet());
		return Contenders.of(Contenders.keeping(present, Instant.now()),
				NodeName.inOrder(NodeName.parseAll(present), created));
	}

	private static boolean isTokenOf(String name, Stat stat, long token) {
		return Long.valueOf(token).equals(Contenders.token(name, stat));
	}

	private static CompletableFuture<Boolean> free(OperatorCall call, Found node) {
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		call.zooKeeper().delete(call.absolute(node.path()), node.data().stat().getVersion(), (code, path, context) -> {
			Code answer = ClientHandle.code(code);
			if (answer == Code.OK) {
				done.complete(true);
			}
			else {
				done.completeExceptionally(KeeperException.create(answer, path));
			}
		}, null);
		return done;
	}

	private static RuntimeException failure(LockId id, long token, Throwable cause) {
		if (cause instanceof StaleTokenException || cause instanceof LockInspectionException) {
			return (RuntimeException) cause;
		}
		if (cause instanceof NoNodeException || cause instanceof BadVersionException) {
			return new StaleTokenException(id, token);
		}
		if (cause instanceof NoAuthException) {
			return new LockInspectionException(
					"ZooKeeper does not allow this client to do this: nothing was done. Check its credentials and "
							+ "the ACL",
					cause);
		}
		return new LockInspectionException(
				"ZooKeeper did not answer: it is not known whether this took effect. Look at the lock again", cause);
	}

	/**
	 * A contender.
	 *
	 * @param waits whether others hold the lock before it
	 */
	private record Found(String path, NodeData data, boolean waits) {

		boolean isKept() {
			return Contenders.keptUntil(this.path.substring(this.path.lastIndexOf('/') + 1)) != null;
		}

	}

}
