package io.interlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockRequest;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.faults.worker.PlainCuratorLocks;
import io.interlock.faults.worker.WatchfulMutex;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.state.ConnectionState;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Defect F2 of plain Curator: a server that is cut off from its leader keeps its clients
 * connected and answers their reads, while the leader gives their locks away. A holder
 * that does all that Curator offers, which is to listen for SUSPENDED and to look for its
 * own node, is told that it holds the lock while somebody else does. Both kinds of lock
 * hang on the same server here, whose {@code syncLimit} is longer than the session.
 */
class FollowerCutOffIT {

	private static final Duration SESSION = Duration.ofSeconds(4);

	private static final Duration TICK = Duration.ofMillis(500);

	private static final int SYNC_LIMIT = 20;

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_CUT_OFF_FROM_EACH_OTHER)
	void holderKnowsInTimeWherePlainCuratorIsToldNothing() throws Exception {
		try (Ensemble ensemble = Ensemble.linked(ServerSettings.quick().withTickTime(TICK).withSyncLimit(SYNC_LIMIT))) {
			Server leader = ensemble.awaitLeader();
			Server follower = ensemble.follower().orElseThrow();
			String followerAddress = "127.0.0.1:" + follower.clientPort();
			String leaderAddress = "127.0.0.1:" + leader.clientPort();
			TcpProxy quorumLink = ensemble.link(follower, leader);
			AtomicLong suspendedAt = new AtomicLong(Long.MAX_VALUE);
			try (PlainCuratorLocks plain = new PlainCuratorLocks(followerAddress, SESSION);
					PlainCuratorLocks nextPlain = new PlainCuratorLocks(leaderAddress, SESSION);
					InterlockLocks ours = new InterlockLocks(followerAddress, SESSION, QueueSettings.defaults());
					InterlockLocks next = new InterlockLocks(leaderAddress, SESSION, QueueSettings.defaults())) {
				plain.client().getConnectionStateListenable().addListener((client, state) -> {
					if (state == ConnectionState.SUSPENDED) {
						suspendedAt.compareAndSet(Long.MAX_VALUE, System.nanoTime());
					}
				});
				Held watchful = WatchfulMutex.acquire(plain.client(), "/plain/cut-off");
				Held held = ours.acquire("cut-off", false, LockRequest.FOREVER).held();
				assertThat(held).isNotNull();
				quorumLink.blackHole();
				CompletableFuture<Double> plainOverlap = CompletableFuture
					.supplyAsync(() -> Overlap.measure(watchful, nextPlain, "cut-off"));
				double overlap = Overlap.measure(held, next, "cut-off");
				double plainMillis = plainOverlap.join();
				Figures.publish("follower-cut-off", """
						| Follower cut off from its leader | from the next grant to the last "held" |
						|---|---|
						| Interlock | %.0f ms |
						| plain Curator, watched for a second | %.0f ms |
						""".formatted(overlap, plainMillis), "");
				assertThat(overlap).isNegative();
				assertThat(plainMillis).isPositive();
				assertThat(suspendedAt).as("SUSPENDED").hasValue(Long.MAX_VALUE);
				quorumLink.heal();
				held.close();
			}
			finally {
				quorumLink.heal();
			}
		}
	}

}
