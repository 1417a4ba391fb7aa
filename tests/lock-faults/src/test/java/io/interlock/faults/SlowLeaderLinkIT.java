package io.interlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.interlock.LockRequest;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A link between leader and follower that is slow in one direction and is then cut, with
 * the holder on the follower. What the follower answers and what it reports to its leader
 * do not take the same time then: the holder has to know of its loss before the leader
 * gives the lock away. {@code -Dfaults.trials} tries more often.
 */
class SlowLeaderLinkIT {

	private static final int TRIALS = Integer.getInteger("faults.trials", 1);

	private static final Duration TICK = Duration.ofMillis(500);

	private static final Duration SESSION = TICK.multipliedBy(6);

	/** Less than the time between two pings of the leader. */
	private static final Duration DELAY = TICK.dividedBy(5);

	private static final int SYNC_LIMIT = 20;

	private static final String KEY = "slow-link";

	private static final String KEPT = "/interlock/" + KEY + "/kept";

	private static final List<String> rows = new ArrayList<>();

	private static Ensemble ensemble;

	@BeforeAll
	static void start() {
		ensemble = Ensemble.linked(ServerSettings.quick().withTickTime(TICK).withSyncLimit(SYNC_LIMIT));
	}

	@AfterAll
	static void stop() {
		ensemble.close();
		Figures.publish("slow-leader-link", """
				| Slow direction | delay | cut | from the next grant to the last `true` |
				|---|---|---|---|
				""" + String.join("", rows), "");
	}

	/**
	 * The leader has not heard of the session for half of its time when the lock is
	 * granted, and does not hear of it again.
	 */
	@ParameterizedTest
	@EnumSource
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_CUT_OFF_FROM_EACH_OTHER)
	void holderKnowsInTimeWhenTheLinkIsCutRightAfterTheGrant(Direction direction) throws Exception {
		assertNegative(direction, "right after the grant", Duration.ofNanos(1));
	}

	/**
	 * The lease has been prolonged over the slow link, and the phase of the pings is left
	 * to chance.
	 */
	@ParameterizedTest
	@EnumSource
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_CUT_OFF_FROM_EACH_OTHER)
	void holderKnowsInTimeWhenTheLinkIsCutLater(Direction direction) throws Exception {
		assertNegative(direction, "up to a session later", SESSION);
	}

	private static void assertNegative(Direction direction, String cut, Duration latestCut) throws Exception {
		List<Double> overlaps = new ArrayList<>();
		for (int i = 0; i < TRIALS; i++) {
			overlaps.add(overlap(direction, latestCut));
		}
		rows.add("| %s | %d ms | %s | %s |%n".formatted(direction.title, DELAY.toMillis(), cut,
				overlaps.stream().map("%.0f ms"::formatted).collect(Collectors.joining(", "))));
		assertThat(overlaps).allSatisfy((overlap) -> assertThat(overlap).isNegative());
	}

	private static double overlap(Direction direction, Duration latestCut) throws Exception {
		Server leader = ensemble.awaitLeader();
		Server follower = ensemble.follower().orElseThrow();
		TcpProxy quorumLink = ensemble.link(follower, leader);
		try (TcpProxy clientLink = TcpProxy.to(follower.clientPort());
				InterlockLocks holder = locks(clientLink.connectString());
				InterlockLocks taker = locks(leader.connectString())) {
			acquire(holder, "warm").close();
			acquire(taker, "warm").close();
			// The servers do not reap a parent that has a child: it would have to be
			// made.
			taker.client().create().orSetData().creatingParentContainersIfNeeded().forPath(KEPT);
			direction.delay.accept(quorumLink, DELAY);
			Lapse.upTo(SESSION);
			clientLink.holdRequests();
			Lapse.of(SESSION.dividedBy(2));
			CompletableFuture<Held> acquiring = CompletableFuture.supplyAsync(() -> acquire(holder, KEY));
			Awaitility.await().until(() -> holder.creating() == 1);
			clientLink.heal();
			Held held = acquiring.join();
			Lapse.upTo(latestCut);
			quorumLink.blackHole();
			double overlap = Overlap.measure(held, taker, KEY);
			quorumLink.heal();
			held.close();
			return overlap;
		}
		finally {
			quorumLink.heal();
		}
	}

	private static InterlockLocks locks(String connectString) {
		return new InterlockLocks(connectString, SESSION, QueueSettings.defaults());
	}

	private static Held acquire(InterlockLocks locks, String key) {
		Held held = locks.acquire(key, false, LockRequest.FOREVER).held();
		assertThat(held).isNotNull();
		return held;
	}

	/**
	 * The direction that is slow. A follower connects to its leader, so what it sends is
	 * a request.
	 */
	enum Direction {

		TO_FOLLOWER("leader to follower", TcpProxy::delayReplies),

		TO_LEADER("follower to leader", TcpProxy::delayRequests);

		private final String title;

		private final BiConsumer<TcpProxy, Duration> delay;

		Direction(String title, BiConsumer<TcpProxy, Duration> delay) {
			this.title = title;
			this.delay = delay;
		}

	}

}
