package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.interlock.faults.check.History;
import io.interlock.faults.time.Lapse;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The nodes of the locks as an administrator sees them, past all proxies.
 */
final class LockNodes implements AutoCloseable {

	private static final String ROOT = "/interlock";

	private final CuratorFramework client;

	private final History history;

	LockNodes(String connectString, History history) {
		this.client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs(10_000)
			.connectionTimeoutMs(1000)
			.retryPolicy(new RetryOneTime(50))
			.ensembleTracker(false)
			.build();
		this.client.start();
		this.history = history;
	}

	/**
	 * Note who is in a queue at this moment, behind others.
	 */
	void observeQueues() {
		for (List<Stat> queue : queues().values()) {
			queue.stream().skip(1).forEach((stat) -> this.history.queued(stat.getCzxid(), System.nanoTime()));
		}
	}

	/**
	 * Return the contenders, by path of the lock.
	 */
	private Map<String, List<Stat>> queues() {
		Map<String, List<Stat>> queues = new TreeMap<>();
		try {
			for (String lock : this.client.getChildren().forPath(ROOT)) {
				String path = ROOT + "/" + lock;
				queues.put(path,
						contenders(path).values().stream().sorted(Comparator.comparingLong(Stat::getCzxid)).toList());
			}
		}
		catch (Exception ex) {
			// Nobody can see anything at this moment.
		}
		return queues;
	}

	private Map<String, Stat> contenders(String path) throws Exception {
		Map<String, Stat> contenders = new TreeMap<>();
		try {
			for (String name : this.client.getChildren().forPath(path)) {
				Stat stat = this.client.checkExists().forPath(path + "/" + name);
				if (stat != null) {
					contenders.put(path + "/" + name, stat);
				}
			}
		}
		catch (KeeperException.NoNodeException ex) {
			// The lock was reaped.
		}
		return contenders;
	}

	/**
	 * Delete lock parents whenever they are empty, as ZooKeeper does now and then.
	 */
	void deleteEmptyParents(long until) {
		while (System.nanoTime() < until) {
			try {
				for (String lock : this.client.getChildren().forPath(ROOT)) {
					this.client.delete().inBackground().forPath(ROOT + "/" + lock);
				}
				Lapse.of(Duration.ofMillis(5));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
			catch (Exception ex) {
				// Next time.
			}
		}
	}

	/**
	 * Delete the node of a holder.
	 */
	void deleteHolder(Random random) {
		List<String> locks = List.of("exclusive", "long", "long", "readwrite", "mixed");
		String path = ROOT + "/" + locks.get(random.nextInt(locks.size()));
		try {
			Map<String, Stat> contenders = contenders(path);
			Map.Entry<String, Stat> holder = contenders.entrySet()
				.stream()
				.min(Comparator.comparingLong((entry) -> entry.getValue().getCzxid()))
				.orElse(null);
			if (holder != null) {
				this.history.deleted(holder.getValue().getCzxid(), System.nanoTime());
				this.client.delete().forPath(holder.getKey());
			}
		}
		catch (Exception ex) {
			// It went by itself, or nobody answers.
		}
	}

	/**
	 * Return the lock nodes that are left.
	 * @param sessions whose nodes to look for
	 */
	List<String> ownedBy(List<String> sessions) throws Exception {
		return all().entrySet()
			.stream()
			.filter((entry) -> sessions.contains("0x" + Long.toHexString(entry.getValue().getEphemeralOwner())))
			.map(Map.Entry::getKey)
			.toList();
	}

	boolean areGone() throws Exception {
		return all().isEmpty();
	}

	private Map<String, Stat> all() throws Exception {
		this.client.sync().forPath("/");
		Map<String, Stat> all = new TreeMap<>();
		if (this.client.checkExists().forPath(ROOT) != null) {
			for (String lock : this.client.getChildren().forPath(ROOT)) {
				all.putAll(contenders(ROOT + "/" + lock));
			}
		}
		return all;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
