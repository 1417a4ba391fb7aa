package io.interlock.curator;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Entry into the queue of a lock: the creation of a node, and the first look at the queue
 * without waiting for the answer to the creation. A free lock costs one round trip that
 * way, instead of two.
 * <p>
 * The servers answer one session in order, and Curator may send a request again after an
 * interruption. Neither matters here: a look counts only if it shows our own node, for
 * then it shows everybody who came before.
 *
 * @param path path of the node
 * @param stat what the servers said of it, or {@code null} if that answer was lost
 * @param children names in the queue, empty if nobody knows
 */
record Entry(String path, @Nullable Stat stat, List<String> children) {

	private static final long RECHECK_MILLIS = 500;

	/**
	 * Enter the queue.
	 * @param client whom to ask
	 * @param contest the attempt
	 * @param closed whether to give up because no answer will come
	 * @return the entry
	 * @throws KeeperException.NoNodeException if there is no queue
	 * @throws InterruptedException if the thread is interrupted; the node is deleted when
	 * the servers have answered
	 * @throws Exception if there is no node
	 */
	static Entry into(CuratorFramework client, Contest contest, BooleanSupplier closed) throws Exception {
		CompletableFuture<CuratorEvent> created = new CompletableFuture<>();
		CompletableFuture<CuratorEvent> seen = new CompletableFuture<>();
		client.create()
			.withProtection()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.inBackground((from, event) -> created.complete(event))
			.forPath(contest.lockPath() + "/" + contest.nodePrefix(), contest.nodeData());
		try {
			client.getChildren().inBackground((from, event) -> seen.complete(event)).forPath(contest.lockPath());
			CuratorEvent creation = await(created, closed);
			if (isRefused(creation)) {
				throw KeeperException.create(Code.get(creation.getResultCode()), contest.lockPath());
			}
			return new Entry(pathOf(creation, contest), creation.getStat(), children(await(seen, closed)));
		}
		catch (Exception ex) {
			created.thenAccept((late) -> discard(late, contest));
			throw ex;
		}
	}

	private static CuratorEvent await(CompletableFuture<CuratorEvent> answer, BooleanSupplier closed) throws Exception {
		while (true) {
			try {
				return answer.get(RECHECK_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				if (closed.getAsBoolean()) {
					throw new ClientClosedException();
				}
			}
		}
	}

	private static boolean isRefused(CuratorEvent event) {
		return event.getResultCode() != Code.OK.intValue();
	}

	private static List<String> children(CuratorEvent event) {
		return isRefused(event) ? List.of() : event.getChildren();
	}

	/**
	 * The name comes as the servers know it, with the namespace.
	 */
	private static String pathOf(CuratorEvent creation, Contest contest) {
		String name = creation.getName();
		return contest.lockPath() + name.substring(name.lastIndexOf('/'));
	}

	private static void discard(CuratorEvent creation, Contest contest) {
		if (!isRefused(creation)) {
			contest.discard(pathOf(creation, contest));
		}
	}

}
