package io.interlock.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockRequest;
import io.interlock.faults.check.Outcome;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Answer;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A creation that is committed after its client has lost the connection, has moved to
 * another server in the same session, and has looked there for the node in vain.
 * Curator's protected mode creates a second node then, which waits for the first one for
 * ever.
 * <p>
 * The leader has the request and proposes it. The server that the client leaves never
 * gets the proposal, and the server that the client moves to gets it, but its
 * acknowledgement is held back. So there is no quorum while the client looks.
 */
class LateCreationIT {

	private static final Duration SESSION = Duration.ofSeconds(10);

	private static final Duration DELAY = Duration.ofMillis(1500);

	private static final Duration LIMIT = Duration.ofSeconds(1);

	private static final Duration WAIT = Duration.ofSeconds(15);

	private static final Duration ARRIVAL = Duration.ofMillis(200);

	private static final String KEY = "late-creation";

	private static final String PARENT = "/interlock/" + KEY;

	private static final Pattern PROPOSALS = Pattern.compile("zk_proposal_count\\s+(\\d+)");

	private Ensemble ensemble;

	private Server leader;

	private TcpProxy leftQuorumLink;

	private TcpProxy reachedQuorumLink;

	private TcpProxy leftLink;

	private TcpProxy reachedLink;

	private InterlockLocks locks;

	@BeforeEach
	void start() throws Exception {
		this.ensemble = Ensemble.linked(ServerSettings.quick().withTickTime(Duration.ofMillis(500)).withSyncLimit(20));
		this.leader = this.ensemble.awaitLeader();
		List<Server> followers = this.ensemble.servers().stream().filter((each) -> each != this.leader).toList();
		this.leftQuorumLink = this.ensemble.link(followers.get(0), this.leader);
		this.reachedQuorumLink = this.ensemble.link(followers.get(1), this.leader);
		this.leftLink = TcpProxy.to(followers.get(0).clientPort());
		this.reachedLink = TcpProxy.to(followers.get(1).clientPort());
		this.reachedLink.refuse();
		this.locks = new InterlockLocks(this.leftLink.connectString() + "," + this.reachedLink.connectString(), SESSION,
				QueueSettings.defaults());
		// The servers do not reap a parent that has a child.
		this.locks.client().create().creatingParentContainersIfNeeded().forPath(PARENT + "/kept");
		Held warm = this.locks.acquire(KEY, false, LockRequest.FOREVER).held();
		assertThat(warm).isNotNull();
		warm.close();
		Awaitility.await().until(() -> nodes().isEmpty());
	}

	@AfterEach
	void stop() {
		this.leftQuorumLink.heal();
		this.reachedQuorumLink.heal();
		this.locks.close();
		this.leftLink.close();
		this.reachedLink.close();
		this.ensemble.close();
	}

	@Test
	void leavesOneNodeAndTheLockIsGranted() throws Exception {
		long session = sessionId();
		CompletableFuture<Answer> acquiring = createAndMove(WAIT);
		Lapse.of(DELAY);
		long commitAt = System.nanoTime();
		commit();
		Answer answer = acquiring.get(WAIT.plusSeconds(10).toMillis(), TimeUnit.MILLISECONDS);
		Duration granted = Duration.ofNanos(System.nanoTime() - commitAt);
		List<String> nodes = nodes();
		Figures.publish("late-creation", """
				| Late creation | outcome | after the commit | nodes |
				|---|---|---|---|
				| delayed by %d ms | %s | %d ms | %d |
				""".formatted(DELAY.toMillis(), answer.outcome(), granted.toMillis(), nodes.size()), "");
		assertThat(sessionId()).isEqualTo(session);
		assertThat(nodes).as("nodes").hasSize(1);
		assertThat(answer.outcome()).isEqualTo(Outcome.ACQUIRED);
		assertThat(granted).isLessThan(LIMIT);
		Held held = answer.held();
		assertThat(held).isNotNull();
		assertThat(held.isValid()).isTrue();
		held.close();
		Awaitility.await().untilAsserted(() -> assertThat(nodes()).isEmpty());
	}

	@Test
	void leavesNothingIfTheCallerHasGivenUp() throws Exception {
		long session = sessionId();
		CompletableFuture<Answer> acquiring = createAndMove(DELAY);
		assertThat(acquiring.get(10, TimeUnit.SECONDS).held()).isNull();
		Lapse.of(DELAY);
		commit();
		Awaitility.await().untilAsserted(() -> assertThat(nodes()).isEmpty());
		// A creation that is repeated on the way would come now.
		Awaitility.await().during(LIMIT).until(() -> nodes().isEmpty());
		assertThat(sessionId()).isEqualTo(session);
	}

	/**
	 * Begin to acquire. Returns when the creation is proposed and the client is connected
	 * to another server, where it does not show yet.
	 */
	private CompletableFuture<Answer> createAndMove(Duration wait) throws Exception {
		long proposals = proposals();
		this.leftQuorumLink.holdReplies();
		this.reachedQuorumLink.holdReplies();
		CompletableFuture<Answer> acquiring = CompletableFuture.supplyAsync(() -> this.locks.acquire(KEY, false, wait));
		Awaitility.await().until(() -> proposals() > proposals);
		this.leftLink.refuse();
		this.reachedLink.heal();
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(this.reachedLink::isInUse);
		// The leader confirms the session before any acknowledgement is on its way.
		Lapse.of(ARRIVAL);
		this.reachedQuorumLink.heal();
		this.reachedQuorumLink.holdRequests();
		Awaitility.await().until(() -> this.locks.client().getZookeeperClient().isConnected());
		return acquiring;
	}

	private void commit() {
		this.reachedQuorumLink.heal();
		this.leftQuorumLink.heal();
	}

	private long sessionId() throws Exception {
		return this.locks.client().getZookeeperClient().getZooKeeper().getSessionId();
	}

	private long proposals() throws Exception {
		Matcher matcher = PROPOSALS
			.matcher(FourLetterWordMain.send4LetterWord("127.0.0.1", this.leader.clientPort(), "mntr"));
		assertThat(matcher.find()).isTrue();
		return Long.parseLong(matcher.group(1));
	}

	private List<String> nodes() throws Exception {
		CuratorFramework client = this.locks.client();
		client.sync().forPath("/");
		return client.getChildren().forPath(PARENT).stream().filter((each) -> each.startsWith("_c_")).toList();
	}

}
