package io.interlock.faults.chaos;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.interlock.faults.check.History;
import io.interlock.faults.check.StillLock.Contender;
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

	private static final String PROBE = "/probe";

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
	 * Note which node is first in each queue at this moment and which are behind it, and
	 * that the servers serve if they take a write.
	 */
	void observeQueues() {
		queues().forEach((key, queue) -> {
			this.history.first(key, queue.isEmpty() ? 0 : queue.get(0).getCzxid(), System.nanoTime());
			queue.stream().skip(1).forEach((stat) -> this.history.queued(stat.getCzxid(), System.nanoTime()));
		});
	}

	/**
	 * Return the contenders, by lock.
	 */
	private Map<String, List<Stat>> queues() {
		Map<String, List<Stat>> queues = new TreeMap<>();
		try {
			this.client.create().orSetData().forPath(PROBE);
			this.history.served(System.nanoTime());
			for (String lock : this.client.getChildren().forPath(ROOT)) {
				String path = ROOT + "/" + lock;
				queues.put(lock,
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
	 * Return what lies in the queue of a lock, the first in front, and whose it is.
	 */
	List<Contender> contendersOf(String key) {
		List<Contender> queue = new ArrayList<>();
		try {
			contenders(ROOT + "/" + key).entrySet()
				.stream()
				.sorted(Comparator.comparingLong((entry) -> entry.getValue().getCzxid()))
				.forEach((entry) -> queue.add(contender(entry.getKey(), entry.getValue())));
		}
		catch (Exception ex) {
			queue.add(new Contender("unknown", "", ex.toString()));
		}
		return queue;
	}

	private Contender contender(String path, Stat stat) {
		String data;
		try {
			data = new String(this.client.getData().forPath(path), StandardCharsets.UTF_8);
		}
		catch (Exception ex) {
			data = ex.toString();
		}
		return new Contender(path, "session 0x" + Long.toHexString(stat.getEphemeralOwner()),
				"czxid %d, data %s".formatted(stat.getCzxid(), data));
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
		List<String> locks = List.of("exclusive", "long", "long", "readwrite", "mixed", "mixed-readwrite");
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

	/**
	 * Return the lock nodes that are left, of all sessions.
	 */
	Collection<String> left() throws Exception {
		return all().keySet();
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
