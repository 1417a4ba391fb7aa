package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockRequest;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import io.interlock.leader.LeadershipListener;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for an election of three instances whose leaders come to an end in turn.
 */
@Timeout(120)
@ExtendWith(SharedServer.class)
class LeaderElectionOnZooKeeperTests {

	/**
	 * Long enough for a machine that stands still for a while to replace no leader.
	 */
	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	/**
	 * What the server needs to notice the end of a session, and a busy machine.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final List<Candidate> candidates = new ArrayList<>();

	private final BlockingDeque<Candidate> granted = new LinkedBlockingDeque<>();

	private final AtomicInteger overlaps = new AtomicInteger();

	private final AtomicLong looks = new AtomicLong();

	private volatile boolean over;

	private String election;

	private final LocalServer server;

	private Background<Boolean> observer;

	LeaderElectionOnZooKeeperTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void join(TestInfo test) {
		this.election = test.getDisplayName();
		for (int i = 0; i < 3; i++) {
			this.candidates.add(new Candidate());
		}
		this.candidates.forEach(Candidate::join);
		this.observer = Background.start(this::observe);
	}

	@AfterEach
	void leave() throws Exception {
		this.over = true;
		assertThat(this.observer.join()).isTrue();
		for (Candidate candidate : this.candidates) {
			candidate.close();
		}
	}

	@Test
	void leaderWhoseSessionIsExpiredIsReplaced() throws Exception {
		endInTurn(Candidate::expire);
	}

	@Test
	void leaderThatIsCutOffIsReplacedAndKnowsItBefore() throws Exception {
		endInTurn(1, this::cutOff);
	}

	@Deep
	@Test
	void leadersThatAreCutOffInTurnAreReplacedAndKnowItBefore() throws Exception {
		endInTurn(this::cutOff);
	}

	private void cutOff(Candidate leader) throws Exception {
		leader.proxy.blackHole();
		Candidate next = awaitLeader();
		assertThat(leader.leadership.isLeader()).isFalse();
		leader.proxy.heal();
		this.granted.addFirst(next);
	}

	/**
	 * The one case in which the next leader may come first: the servers tell both at the
	 * same time.
	 */
	@Test
	void leaderWhoseLockIsFreedByForceHearsOfItAndIsReplaced() throws Exception {
		endInTurn((leader) -> {
			String path = LocalServer.pathOf(LockRequest.exclusive("leader").withKey(this.election));
			long token = leader.leadership.token();
			for (String node : this.server.observer().getChildren().forPath(path)) {
				if (this.server.observer().checkExists().forPath(path + "/" + node).getCzxid() == token) {
					this.server.observer().delete().forPath(path + "/" + node);
				}
			}
			Candidate next = this.granted.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			await().until(() -> !leader.leadership.isLeader() || leader.leadership.token() > token);
			long look = this.looks.get();
			// The look that is under way may have seen both, and not have counted it yet.
			await().until(() -> this.looks.get() > look);
			this.overlaps.set(0);
			this.granted.addFirst(next);
		});
	}

	@Test
	void leaderThatStopsIsReplacedAtOnce() throws Exception {
		endInTurn((leader) -> {
			long startedAt = System.nanoTime();
			leader.elections.stop();
			Candidate next = awaitLeader();
			assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(SESSION_TIMEOUT);
			leader.elections.start();
			this.granted.addFirst(next);
		});
	}

	@Test
	void leaderThatIsKilledIsReplaced() throws Exception {
		Candidate first = awaitLeader();
		first.instance.client().close();
		Candidate second = awaitLeader();
		assertThat(second).isNotSameAs(first);
		second.instance.client().close();
		assertThat(awaitLeader()).isNotIn(first, second);
	}

	@Test
	void electionLeavesNothingBehind() throws Exception {
		awaitLeader();
		this.candidates.forEach((candidate) -> candidate.leadership.close());
		LockRequest lock = LockRequest.exclusive(LeaderElection.LOCK_NAME).withKey(this.election);
		await().untilAsserted(() -> assertThat(this.server.contenders(lock)).isEmpty());
		await().untilAsserted(() -> assertThat(this.server.watches()).isZero());
	}

	private void endInTurn(Fault fault) throws Exception {
		endInTurn(4, fault);
	}

	private void endInTurn(int rounds, Fault fault) throws Exception {
		long token = 0;
		for (int round = 0; round < rounds; round++) {
			Candidate leader = awaitLeader();
			assertThat(leader.leadership.token()).isGreaterThan(token);
			token = leader.leadership.token();
			fault.end(leader);
		}
		awaitLeader();
	}

	private Candidate awaitLeader() throws Exception {
		Candidate leader = this.granted.poll(SESSION_TIMEOUT.plus(PATIENCE).toMillis(), TimeUnit.MILLISECONDS);
		assertThat(leader).as("next leader").isNotNull();
		assertThat(this.overlaps).as("two leaders at once").hasValue(0);
		return leader;
	}

	private boolean observe() {
		while (!this.over) {
			this.candidates.forEach(this::countOtherLeaders);
			this.looks.incrementAndGet();
			Thread.yield();
		}
		return true;
	}

	/**
	 * Count who leads beside a leader: one that led before the look and leads in the same
	 * term after it led during the look.
	 */
	private void countOtherLeaders(Candidate leader) {
		if (!leader.leadership.isLeader()) {
			return;
		}
		long token = leader.leadership.token();
		long others = this.candidates.stream()
			.filter((other) -> other != leader && other.leadership.isLeader())
			.count();
		if (others > 0 && leader.leadership.isLeader() && leader.leadership.token() == token) {
			this.overlaps.incrementAndGet();
		}
	}

	@FunctionalInterface
	private interface Fault {

		void end(Candidate leader) throws Exception;

	}

	/**
	 * An instance with a line of its own to the server.
	 */
	private final class Candidate implements LeadershipListener, AutoCloseable {

		private final TcpProxy proxy = TcpProxy.to(LeaderElectionOnZooKeeperTests.this.server.port());

		private final Instance instance = Instance.connectedTo(this.proxy.connectString(), SESSION_TIMEOUT);

		private final LeaderElection elections = new LeaderElection(this.instance.provider(), (event) -> {
		});

		private final Leadership leadership = this.elections.join(LeaderElectionOnZooKeeperTests.this.election, this);

		void join() {
			this.elections.start();
		}

		void expire() {
			try {
				this.instance.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void onGranted(Leadership leadership) {
			countOtherLeaders(this);
			LeaderElectionOnZooKeeperTests.this.granted.add(this);
		}

		@Override
		public void onRevoked(Leadership leadership) {
			if (leadership.isLeader()) {
				LeaderElectionOnZooKeeperTests.this.overlaps.incrementAndGet();
			}
		}

		@Override
		public void close() {
			this.elections.stop();
			this.instance.close();
			this.proxy.close();
		}

	}

}
