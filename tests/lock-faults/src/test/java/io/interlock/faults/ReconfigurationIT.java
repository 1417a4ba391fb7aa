package io.interlock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers that leave the ensemble and come back while instances compete for a lock. The
 * leader leaves as often as each of the others does.
 */
class ReconfigurationIT {

	private static final int ROUNDS = Integer.getInteger("faults.reconfigurations", 4);

	private static final int INSTANCES = 4;

	/** Grants between one reconfiguration and the next. */
	private static final int GRANTS = 40;

	private static final String KEY = "reconfiguration";

	private static final ServerSettings SETTINGS = ServerSettings.quick()
		.withSyncLimit(10)
		.with("reconfigEnabled", "true")
		.withJvmOptions("-Dzookeeper.skipACL=yes");

	private final AtomicReference<String> holder = new AtomicReference<>("");

	private final AtomicLong token = new AtomicLong();

	private final AtomicLong grants = new AtomicLong();

	private final AtomicBoolean working = new AtomicBoolean(true);

	private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.SERVERS_LEAVE_AND_COME_BACK)
	void locksStayExclusiveAndAreGranted() throws Exception {
		try (Ensemble ensemble = Ensemble.start(SETTINGS);
				InterlockLocks observer = locks(ensemble);
				AdminOf admin = new AdminOf(ensemble)) {
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < INSTANCES; i++) {
				Thread thread = new Thread(() -> compete(ensemble), "instance-" + i);
				threads.add(thread);
				thread.start();
			}
			int left = 0;
			for (int round = 0; round < ROUNDS; round++) {
				for (int server = 1; server <= admin.servers().size(); server++) {
					awaitGrants();
					left += ensemble.servers().get(server - 1).isLeader() ? 1 : 0;
					admin.leave(server);
					awaitGrants();
					admin.join(server);
				}
			}
			awaitGrants();
			this.working.set(false);
			for (Thread thread : threads) {
				thread.join();
			}
			within().untilAsserted(() -> assertThat(nodesLeft(observer.client())).isEmpty());
			Figures.publish("reconfiguration", """
					| Reconfigurations | of them the leader left | grants | overlaps or tokens out of order |
					|---|---|---|---|
					| %d | %d | %d | %d |
					""".formatted(2 * ROUNDS * admin.servers().size(), left, this.grants.get(), this.wrong.size()), "");
			assertThat(this.wrong).isEmpty();
		}
	}

	private static InterlockLocks locks(Ensemble ensemble) {
		return new InterlockLocks(ensemble.connectString(), Duration.ofSeconds(10), QueueSettings.defaults());
	}

	private void compete(Ensemble ensemble) {
		try (InterlockLocks locks = locks(ensemble)) {
			while (this.working.get()) {
				Held held = locks.acquire(KEY, false, Duration.ofSeconds(5)).held();
				if (held != null) {
					hold(held);
					held.close();
				}
			}
		}
		catch (RuntimeException ex) {
			this.wrong.add(ex.toString());
		}
	}

	private void hold(Held held) {
		String self = Thread.currentThread().getName();
		String other = this.holder.getAndSet(self);
		long before = this.token.getAndAccumulate(held.token(), Math::max);
		this.grants.incrementAndGet();
		Thread.yield();
		boolean alone = this.holder.compareAndSet(self, "");
		if (held.isValid() && (!other.isEmpty() || !alone || before >= held.token())) {
			this.wrong.add("%s met '%s', token %d after %d".formatted(self, other, held.token(), before));
		}
	}

	private void awaitGrants() {
		long enough = this.grants.get() + GRANTS;
		within().until(() -> this.grants.get() >= enough);
	}

	private static ConditionFactory within() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

	private static List<String> nodesLeft(CuratorFramework client) throws Exception {
		client.sync().forPath("/");
		return (client.checkExists().forPath("/interlock/" + KEY) != null)
				? client.getChildren().forPath("/interlock/" + KEY) : List.of();
	}

	/**
	 * Reconfigures the ensemble. A reconfiguration whose answer is lost, or that comes
	 * too early, is looked for and repeated.
	 */
	private static final class AdminOf implements AutoCloseable {

		private final ZooKeeperAdmin admin;

		private final Map<Integer, String> servers;

		AdminOf(Ensemble ensemble) throws Exception {
			this.admin = new ZooKeeperAdmin(ensemble.connectString(), 10_000, (event) -> {
			});
			within().ignoreExceptions().until(() -> members().size() == ensemble.servers().size());
			this.servers = Map.copyOf(members());
		}

		Map<Integer, String> servers() {
			return this.servers;
		}

		void leave(int server) {
			reconfigure(null, Integer.toString(server), false, server);
		}

		void join(int server) {
			reconfigure(this.servers.get(server), null, true, server);
		}

		private void reconfigure(String joining, String leaving, boolean member, int server) {
			within().ignoreExceptionsInstanceOf(KeeperException.class).until(() -> {
				if (members().containsKey(server) != member) {
					this.admin.reconfigure(joining, leaving, null, -1, null);
				}
				return members().containsKey(server) == member;
			});
		}

		private Map<Integer, String> members() throws KeeperException, InterruptedException {
			Map<Integer, String> members = new TreeMap<>();
			new String(this.admin.getConfig(false, null), StandardCharsets.UTF_8).lines()
				.filter((line) -> line.startsWith("server."))
				.forEach((line) -> members.put(Integer.valueOf(line.substring("server.".length(), line.indexOf('='))),
						line));
			return members;
		}

		@Override
		public void close() {
			try {
				this.admin.close();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
