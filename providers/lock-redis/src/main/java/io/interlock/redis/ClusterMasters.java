package io.interlock.redis;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.interlock.internal.LockThreads;
import io.interlock.lease.LeaseStoreException;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisClusterNode.SlotRange;

/**
 * The masters of a cluster that have locks. All are asked at once, because operators wait
 * a second only, and one that is silent is to be named within it. A list without the
 * locks of one master would show them as free, so there is none. A master without slots
 * has no locks: another one has taken its place.
 */
final class ClusterMasters {

	private static final Duration PATIENCE = Duration.ofMillis(750);

	private static final Executor THREADS = LockThreads.WORKER.pools("masters").perTask();

	private final RedisClusterConnection connection;

	ClusterMasters(RedisClusterConnection connection) {
		this.connection = connection;
	}

	/**
	 * Return the masters with the number of their keys.
	 * @throws LeaseStoreException if one of them does not answer
	 */
	Map<RedisClusterNode, Long> sizes() {
		Map<RedisClusterNode, CompletableFuture<Long>> answers = new LinkedHashMap<>();
		for (RedisClusterNode node : this.connection.clusterGetNodes()) {
			if (node.isMaster() && hasSlots(node)) {
				answers.put(node,
						CompletableFuture.supplyAsync(() -> this.connection.serverCommands().dbSize(node), THREADS)
							.orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
			}
		}
		Map<RedisClusterNode, Long> sizes = new LinkedHashMap<>();
		Map<String, Throwable> away = new LinkedHashMap<>();
		answers.forEach((node, answer) -> {
			try {
				sizes.put(node, answer.join());
			}
			catch (CompletionException ex) {
				away.put(node.asString(), passing(ex));
			}
		});
		if (!away.isEmpty()) {
			throw away(List.copyOf(away.keySet()), away.values().iterator().next());
		}
		return sizes;
	}

	private static boolean hasSlots(RedisClusterNode node) {
		SlotRange slots = node.getSlotRange();
		return slots != null && !slots.getSlots().isEmpty();
	}

	/** Return the failure of a master that is away, and throw any other one. */
	private static Throwable passing(CompletionException failure) {
		LeaseStoreException translated = RedisFailures.translate(failure, List.of());
		if (!translated.isPassing()) {
			throw translated;
		}
		return failure;
	}

	private static LeaseStoreException away(List<String> masters, Throwable failure) {
		return LeaseStoreException.lasting(
				("%s of the cluster %s not answer, so the holders of the locks in these slots are not known, and no "
						+ "list is shown")
					.formatted(String.join(", ", masters), (masters.size() > 1) ? "do" : "does"),
				"Ask for one lock, by its name and its key, which needs only its own master. Bring the master "
						+ "back, or let a replica take its place",
				failure);
	}

}
