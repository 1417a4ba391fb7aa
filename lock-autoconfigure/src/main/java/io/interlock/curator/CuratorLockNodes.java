package io.interlock.curator;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockNodes;
import io.interlock.admin.StaleTokenException;
import io.interlock.admin.TokenNode;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.BadVersionException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Deletes nodes from the queues of locks in ZooKeeper, or asks for them to be given up.
 * ZooKeeper deletes by path and not by transaction: the node with a token is found first,
 * and its path is deleted. Curator, Kazoo and Interlock never use a path twice, because a
 * random part of the name makes it unique; a client without one could have made the path
 * anew in between. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class CuratorLockNodes implements LockNodes {

	private final ClientHandle handle;

	private final LockPaths paths;

	private final RevocationBoard board;

	/**
	 * Create an instance.
	 * @param client a client that was started
	 * @param rootPath absolute path below which the locks are
	 */
	public CuratorLockNodes(CuratorFramework client, String rootPath) {
		Assert.notNull(client, "'client' must not be null");
		Assert.hasText(rootPath, "'rootPath' must not be empty");
		this.handle = new ClientHandle(client);
		this.paths = new LockPaths(rootPath);
		this.board = new RevocationBoard(client, this.handle, rootPath);
	}

	@Override
	public TokenNode delete(LockId id, long token) {
		return perform(id, token, (zooKeeper, reads, found) -> delete(zooKeeper, found));
	}

	@Override
	public TokenNode requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request) {
		RevocationRecord record = RevocationRecord.of(UUID.randomUUID().toString(), id, token, handoff, request);
		return perform(id, token, (zooKeeper, reads, found) -> this.board.pin(zooKeeper, reads, record));
	}

	/**
	 * Find the node that has a token, and do something to it.
	 */
	private TokenNode perform(LockId id, long token, Action action) {
		String path = this.paths.pathOf(id);
		return new OperatorCall(this.handle)
			.await((zooKeeper, reads) -> find(reads, this.handle.absolute(path), token).thenCompose((found) -> {
				Found node = found.orElseThrow(() -> new StaleTokenException(id, token));
				return action.perform(zooKeeper, reads, node)
					.thenApply((done) -> new TokenNode(id, token, path + "/" + node.name(),
							OwnerRecord.parse(node.content().data())));
			}), (cause) -> failed(id, token, cause));
	}

	private static CompletableFuture<Optional<Found>> find(BoundedReads reads, String path, long token) {
		return reads.stat(path).thenCompose((stat) -> {
			int children = stat.map(Stat::getNumChildren).orElse(0);
			if (children > reads.maxChildren(QueueReader.NAME_BYTES)) {
				throw new LockInspectionException(
						"%d nodes are too many to find one of them: nothing was done. Raise jute.maxbuffer"
							.formatted(children),
						null);
			}
			return reads.children(path);
		}).thenCompose((children) -> {
			List<String> names = children.orElse(List.of())
				.stream()
				.filter((name) -> Contender.parse(name) != null)
				.toList();
			return QueueReader.all(names, (name) -> reads.content(path + "/" + name))
				.thenApply((contents) -> find(path, names, contents, token));
		});
	}

	private static Optional<Found> find(String path, List<String> names, List<Optional<NodeContent>> contents,
			long token) {
		for (int i = 0; i < names.size(); i++) {
			NodeContent content = contents.get(i).orElse(null);
			if (content != null && content.stat().getCzxid() == token) {
				return Optional.of(new Found(path, names.get(i), content));
			}
		}
		return Optional.empty();
	}

	private static CompletableFuture<Code> delete(ZooKeeper zooKeeper, Found node) {
		CompletableFuture<Code> done = new CompletableFuture<>();
		zooKeeper.delete(node.parent() + "/" + node.name(), node.content().stat().getVersion(),
				(code, path, context) -> {
					if (Code.get(code) == Code.OK) {
						done.complete(Code.OK);
					}
					else {
						done.completeExceptionally(KeeperException.create(Code.get(code), path));
					}
				}, null);
		return done;
	}

	private static RuntimeException failed(LockId id, long token, Throwable cause) {
		if (cause instanceof StaleTokenException || cause instanceof LockInspectionException) {
			return (RuntimeException) cause;
		}
		if (cause instanceof NoNodeException || cause instanceof BadVersionException) {
			return new StaleTokenException(id, token);
		}
		if (cause instanceof NoAuthException) {
			return new LockInspectionException(
					"ZooKeeper does not let this client do it: nothing was done. Check its credentials and the ACL",
					cause);
		}
		return unanswered(cause);
	}

	private static LockInspectionException unanswered(Throwable cause) {
		return new LockInspectionException(
				"ZooKeeper did not answer: it is not known whether it was done. Look at the lock again", cause);
	}

	private record Found(String parent, String name, NodeContent content) {

	}

	/**
	 * What to do to a node.
	 */
	private interface Action {

		CompletableFuture<Code> perform(ZooKeeper zooKeeper, BoundedReads reads, Found node);

	}

}
