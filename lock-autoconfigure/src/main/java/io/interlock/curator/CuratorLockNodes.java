package io.interlock.curator;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockId;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockNodes;
import io.interlock.admin.ReleasedNode;
import io.interlock.admin.StaleTokenException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.BadVersionException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

import org.springframework.util.Assert;

/**
 * Deletes nodes from the queues of locks in ZooKeeper. ZooKeeper deletes by path and not
 * by transaction: the node with a token is found first, and its path is deleted. Curator,
 * Kazoo and Interlock never use a path twice, because a random part of the name makes it
 * unique; a client without one could have made the path anew in between. Safe for use by
 * many threads.
 *
 * @since 0.1.0
 */
public final class CuratorLockNodes implements LockNodes {

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	private final ClientHandle handle;

	private final LockPaths paths;

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
	}

	@Override
	public ReleasedNode delete(LockId id, long token) {
		ZooKeeper zooKeeper = this.handle.connected();
		if (zooKeeper == null) {
			throw new LockInspectionException("There is no connection to ZooKeeper: nothing was released", null);
		}
		BoundedReads reads = new BoundedReads(zooKeeper);
		String path = this.paths.pathOf(id);
		try {
			return find(reads, this.handle.absolute(path), token).thenCompose((found) -> found
				.map((node) -> delete(zooKeeper, node).thenApply((done) -> new ReleasedNode(id, token,
						path + "/" + node.name(), OwnerRecord.parse(node.content().data()))))
				.orElseThrow(() -> new StaleTokenException(id, token))).get(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw unanswered(ex);
		}
		catch (ExecutionException ex) {
			throw failed(id, token, Objects.requireNonNull(ex.getCause()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw unanswered(ex);
		}
		finally {
			reads.stop();
		}
	}

	private static CompletableFuture<Optional<Found>> find(BoundedReads reads, String path, long token) {
		return reads.stat(path).thenCompose((stat) -> {
			int children = stat.map(Stat::getNumChildren).orElse(0);
			if (children > reads.maxChildren(QueueReader.NAME_BYTES)) {
				throw new LockInspectionException(
						"%d nodes are too many to find one of them: nothing was released. Raise jute.maxbuffer"
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
					"ZooKeeper does not let this client do it: nothing was released. Check its credentials and the ACL",
					cause);
		}
		return unanswered(cause);
	}

	private static LockInspectionException unanswered(Throwable cause) {
		return new LockInspectionException(
				"ZooKeeper did not answer: it is not known whether the node was deleted. Look at the lock again",
				cause);
	}

	private record Found(String parent, String name, NodeContent content) {

	}

}
