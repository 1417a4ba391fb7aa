package io.interlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.interlock.LockRequest;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.faults.worker.Locks;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder knows before the next one is granted the lock, with sessions as short as
 * ZooKeeper allows, where the time between two pings of the leader counts, and with
 * longer ones. {@code -Dfaults.trials} tries more often.
 */
@ParameterizedClass(name = "tickTime {0} ms, session {1} ms")
@CsvSource({ "500, 1000", "500, 3000", "2000, 4000" })
class LeaseIT {

	private static final int TRIALS = Integer.getInteger("faults.trials", 1);

	private static final int SYNC_LIMIT = 5;

	private static final String HEAD = """
			| Fault | tickTime | session | from the next grant to the last `true` |
			|---|---|---|---|
			""";

	private static final List<String> rows = new ArrayList<>();

	private static Ensemble ensemble;

	private final Duration tick;

	private final Duration session;

	LeaseIT(int tickMillis, int sessionMillis) {
		this.tick = Duration.ofMillis(tickMillis);
		this.session = Duration.ofMillis(sessionMillis);
	}

	@BeforeParameterizedClassInvocation
	static void start(int tickMillis) {
		ensemble = Ensemble
			.linked(ServerSettings.quick().withTickTime(Duration.ofMillis(tickMillis)).withSyncLimit(SYNC_LIMIT));
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		ensemble.close();
		Figures.publish("lease", HEAD + String.join("", rows), "");
	}

	/**
	 * What the servers know of a session comes from the pings between leader and
	 * follower: a request that was answered need not have prolonged it yet.
	 */
	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_CUT_OFF_FROM_EACH_OTHER)
	void knowsInTimeWhenItsServerIsCutOffRightAfterTheGrant() throws Exception {
		assertNegative("Cut off right after the grant", () -> {
			Server leader = ensemble.awaitLeader();
			Server follower = ensemble.follower().orElseThrow();
			TcpProxy quorumLink = ensemble.link(follower, leader);
			try (TcpProxy clientLink = TcpProxy.to(follower.clientPort());
					InterlockLocks holder = locks(clientLink.connectString());
					InterlockLocks taker = locks(address(leader))) {
				warm(holder);
				warm(taker);
				Lapse.upTo(this.session);
				clientLink.holdRequests();
				Lapse.of(this.session.dividedBy(2));
				CompletableFuture<Held> acquiring = CompletableFuture.supplyAsync(() -> acquire(holder));
				Awaitility.await().until(() -> holder.creating() == 1);
				clientLink.heal();
				Held held = acquiring.join();
				quorumLink.blackHole();
				double overlap = Overlap.measure(held, taker, "lease");
				quorumLink.heal();
				held.close();
				return overlap;
			}
			finally {
				quorumLink.heal();
			}
		});
	}

	/**
	 * A leader without followers answers {@code sync} until it notices. Then it stands
	 * for election, which no link of ours keeps from the others, and may win it with what
	 * it alone has logged, although nobody can follow it, again and again: so it ends
	 * there.
	 */
	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_CUT_OFF_FROM_EACH_OTHER)
	void knowsInTimeWhenItsServerIsALeaderWithoutFollowers() throws Exception {
		assertNegative("Leader without followers", () -> {
			Server leader = ensemble.awaitLeader();
			List<Server> followers = ensemble.servers().stream().filter((server) -> server != leader).toList();
			List<TcpProxy> quorumLinks = followers.stream().map((follower) -> ensemble.link(follower, leader)).toList();
			try (InterlockLocks holder = locks(address(leader));
					InterlockLocks taker = locks(address(followers.get(0)) + "," + address(followers.get(1)))) {
				warm(taker);
				Held held = acquire(holder);
				Lapse.upTo(this.tick);
				quorumLinks.forEach(TcpProxy::blackHole);
				CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
					endWhenItNotices(leader);
					quorumLinks.forEach(TcpProxy::heal);
				});
				double overlap = Overlap.measure(held, taker, "lease");
				ended.join();
				held.close();
				return overlap;
			}
			finally {
				quorumLinks.forEach(TcpProxy::heal);
				leader.start();
			}
		});
	}

	/**
	 * LOST comes two thirds of a session timeout too late on a client with Curator's
	 * default for {@code simulatedSessionExpirationPercent}.
	 */
	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.PACKETS_ARE_SWALLOWED)
	void knowsInTimeOnAClientThatExpiresLate() throws Exception {
		assertNegative("Client with percent 100", () -> cutOff((client, state) -> {
		}));
	}

	/**
	 * A listener that waits for ZooKeeper holds up whatever Curator has to tell.
	 */
	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.A_LISTENER_BLOCKS_THE_CLIENT)
	void knowsInTimeBesideAListenerThatBlocks() throws Exception {
		AtomicBoolean blocked = new AtomicBoolean();
		assertNegative("Listener that blocks", () -> cutOff((client, state) -> {
			if (state == ConnectionState.SUSPENDED) {
				blocked.set(true);
				block(client);
			}
		}));
		assertThat(blocked).isTrue();
	}

	private double cutOff(ConnectionStateListener listener) throws Exception {
		Server leader = ensemble.awaitLeader();
		try (TcpProxy link = TcpProxy.to(leader.clientPort());
				CuratorFramework client = clientOfTheApplication(link.connectString(), listener);
				InterlockLocks holder = new InterlockLocks(client, QueueSettings.defaults());
				InterlockLocks taker = locks(ensemble.connectString())) {
			warm(taker);
			Held held = acquire(holder);
			Lapse.upTo(this.session);
			link.blackHole();
			double overlap = Overlap.measure(held, taker, "lease");
			link.heal();
			held.close();
			return overlap;
		}
	}

	private CuratorFramework clientOfTheApplication(String connectString, ConnectionStateListener listener) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) this.session.toMillis())
			.connectionTimeoutMs(2000)
			.retryPolicy(new ExponentialBackoffRetry(100, 3))
			.simulatedSessionExpirationPercent(100)
			.ensembleTracker(false)
			.build();
		client.getConnectionStateListenable().addListener(listener);
		client.start();
		return client;
	}

	private void block(CuratorFramework client) {
		try {
			client.checkExists().forPath("/");
			Lapse.of(this.session);
		}
		catch (Exception ex) {
			// It has blocked, and that is all it is for.
		}
	}

	private static void endWhenItNotices(Server leader) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> !leader.isLeader());
		leader.kill();
	}

	private InterlockLocks locks(String connectString) {
		return new InterlockLocks(connectString, this.session, QueueSettings.defaults());
	}

	private static String address(Server server) {
		return "127.0.0.1:" + server.clientPort();
	}

	private static Held acquire(Locks locks) {
		Held held = locks.acquire("lease", false, LockRequest.FOREVER).held();
		assertThat(held).isNotNull();
		return held;
	}

	private static void warm(Locks locks) {
		Held held = locks.acquire("warm", false, LockRequest.FOREVER).held();
		assertThat(held).isNotNull();
		held.close();
	}

	private void assertNegative(String title, Trial trial) throws Exception {
		List<Double> overlaps = new ArrayList<>();
		for (int i = 0; i < TRIALS; i++) {
			overlaps.add(trial.overlap());
		}
		rows.add("| %s | %d ms | %d ms | %s |%n".formatted(title, this.tick.toMillis(), this.session.toMillis(),
				overlaps.stream().map("%.0f ms"::formatted).collect(Collectors.joining(", "))));
		assertThat(overlaps).allSatisfy((overlap) -> assertThat(overlap).isNegative());
	}

	/**
	 * One fault, and by how long two holders believed to have the lock.
	 */
	@FunctionalInterface
	private interface Trial {

		double overlap() throws Exception;

	}

}
