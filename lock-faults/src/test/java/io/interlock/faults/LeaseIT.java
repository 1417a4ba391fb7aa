package io.interlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import io.interlock.LockRequest;
import io.interlock.curator.Recipe;
import io.interlock.faults.cluster.Ensemble;
import io.interlock.faults.cluster.Server;
import io.interlock.faults.proxy.TcpProxy;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder knows before the next one is granted the lock, with sessions as short as
 * ZooKeeper allows, where the time between two pings of the leader counts.
 */
class LeaseIT {

	private static final Duration TICK = Duration.ofMillis(Integer.getInteger("faults.tick", 500));

	private static final Duration SESSION = TICK.multipliedBy(Integer.getInteger("faults.ticks", 2));

	private static final int TRIALS = Integer.getInteger("faults.trials", 5);

	private Ensemble ensemble;

	@BeforeEach
	void start() {
		this.ensemble = new Ensemble(TICK, 5);
	}

	@AfterEach
	void stop() {
		this.ensemble.close();
	}

	/**
	 * What the servers know of a session comes from the pings between leader and
	 * follower: a request that was answered need not have prolonged it yet.
	 */
	@Test
	void knowsInTimeWhenItsServerIsCutOffRightAfterTheGrant() throws Exception {
		List<Double> overlaps = new ArrayList<>();
		for (int trial = 0; trial < TRIALS; trial++) {
			Server leader = this.ensemble.awaitLeader();
			Server follower = this.ensemble.follower().orElseThrow();
			TcpProxy quorumLink = this.ensemble.link(follower, leader);
			try (TcpProxy clientLink = new TcpProxy(follower.clientPort());
					InterlockLocks holder = new InterlockLocks(clientLink.address(), SESSION, Recipe.GUARDED);
					InterlockLocks taker = new InterlockLocks("127.0.0.1:" + leader.clientPort(), SESSION,
							Recipe.GUARDED)) {
				warm(holder);
				warm(taker);
				Thread.sleep(ThreadLocalRandom.current().nextLong(SESSION.toMillis()));
				clientLink.dropRequests();
				Thread.sleep(SESSION.toMillis() / 2);
				CompletableFuture<Held> acquiring = CompletableFuture
					.supplyAsync(() -> holder.acquire("lease", false, LockRequest.FOREVER).held());
				Thread.sleep(10);
				clientLink.pass();
				Held held = acquiring.join();
				quorumLink.blackHole();
				overlaps.add(Overlap.measure(held, taker, "lease"));
				quorumLink.pass();
				held.close();
			}
			finally {
				quorumLink.pass();
			}
		}
		System.out.println("Cut off right after the grant, overlap in ms: " + overlaps);
		assertThat(overlaps).allSatisfy((overlap) -> assertThat(overlap).isNegative());
	}

	/**
	 * A leader without followers answers {@code sync} until it notices.
	 */
	@Test
	void knowsInTimeWhenItsServerIsALeaderWithoutFollowers() throws Exception {
		List<Double> overlaps = new ArrayList<>();
		for (int trial = 0; trial < TRIALS; trial++) {
			Server leader = this.ensemble.awaitLeader();
			List<Server> followers = this.ensemble.servers().stream().filter((server) -> server != leader).toList();
			List<TcpProxy> quorumLinks = followers.stream()
				.map((follower) -> this.ensemble.link(follower, leader))
				.toList();
			try (InterlockLocks holder = new InterlockLocks("127.0.0.1:" + leader.clientPort(), SESSION,
					Recipe.GUARDED);
					InterlockLocks taker = new InterlockLocks("127.0.0.1:" + followers.get(0).clientPort()
							+ ",127.0.0.1:" + followers.get(1).clientPort(), SESSION, Recipe.GUARDED)) {
				warm(taker);
				Held held = holder.acquire("lease", false, LockRequest.FOREVER).held();
				Thread.sleep(ThreadLocalRandom.current().nextLong(TICK.toMillis()));
				quorumLinks.forEach(TcpProxy::blackHole);
				overlaps.add(Overlap.measure(held, taker, "lease"));
				quorumLinks.forEach(TcpProxy::pass);
				held.close();
			}
			finally {
				quorumLinks.forEach(TcpProxy::pass);
			}
		}
		System.out.println("Leader without followers, overlap in ms: " + overlaps);
		assertThat(overlaps).allSatisfy((overlap) -> assertThat(overlap).isNegative());
	}

	private static void warm(InterlockLocks locks) {
		Held held = locks.acquire("warm", false, LockRequest.FOREVER).held();
		if (held != null) {
			held.close();
		}
	}

}
