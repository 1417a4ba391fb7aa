package io.interlock.zookeeper.internal.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.tier.Deep;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a thousand attempts and more of one instance that wait at once, each for a
 * lock of its own that another client holds.
 */
@Timeout(120)
class ManyWaitersTests {

	private static final int MANY = 10_000;

	private static final int BATCH = 500;

	private static final String HOLDER = "/_c_holder-lock-0000000000";

	private static final LockRequest REQUEST = LockRequest.exclusive("many");

	private int waiters = 1000;

	private LocalServer server;

	private Instance instance;

	@BeforeEach
	void start() throws Exception {
		this.server = new LocalServer();
		this.instance = Instance.connectedTo(this.server.connectString());
	}

	@AfterEach
	void stop() throws Exception {
		this.instance.close();
		this.server.close();
	}

	@Deep
	@Test
	void manyAddNoThreadAndLeaveNothingWhenAbandoned() throws Exception {
		this.waiters = MANY;
		addNoThreadAndLeaveNothingWhenAbandoned();
	}

	@Deep
	@Test
	void manyKeepNoOtherFromItsTurn() throws Exception {
		this.waiters = MANY;
		keepNoOtherFromItsTurn();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.CALLERS_GIVE_UP)
	void addNoThreadAndLeaveNothingWhenAbandoned() throws Exception {
		holdAll();
		warm();
		int nodesBefore = nodes();
		Set<String> threadsBefore = threads();
		List<LockAttempt> attempts = new ArrayList<>();
		for (int key = 0; key < this.waiters; key++) {
			attempts.add(this.instance.provider().attempt(REQUEST.withKey(key), LockCaller.current()));
		}
		awaitQueued(attempts);
		assertThat(threads()).as("threads").isSubsetOf(threadsBefore);
		attempts.forEach(LockAttempt::abandon);
		assertThat(decided(attempts)).as("decided attempts").isEqualTo(this.waiters);
		await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
			assertThat(nodes()).as("nodes").isLessThanOrEqualTo(nodesBefore);
			assertThat(this.server.watches()).as("watches").isZero();
		});
		assertThat(threads()).as("threads").isSubsetOf(threadsBefore);
	}

	@Test
	void keepNoOtherFromItsTurn() throws Exception {
		holdAll();
		warm();
		List<LockAttempt> attempts = new ArrayList<>();
		for (int key = 0; key < this.waiters; key++) {
			attempts.add(this.instance.provider().attempt(REQUEST.withKey(key), LockCaller.current()));
		}
		awaitQueued(attempts);
		LockAttempt last = attempts.get(this.waiters - 1);
		this.server.observer().delete().forPath(pathOf(this.waiters - 1) + HOLDER);
		assertThat(last.outcome()).succeedsWithin(Duration.ofSeconds(20)).matches(Optional::isPresent);
		this.instance.template().acquire(REQUEST.withKey("free")).close();
		assertThat(decided(attempts)).as("decided attempts").isEqualTo(1);
	}

	private void awaitQueued(List<LockAttempt> attempts) {
		assertThat(decided(attempts)).as("attempts that failed at once").isZero();
		await().atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(this.server.watches()).as("watches").isEqualTo(2 * this.waiters));
		// Ten thousand answers may take a busy machine longer than a lease stays fresh.
		await().atMost(Duration.ofSeconds(60))
			.untilAsserted(() -> assertThat(queued(attempts)).as("queued attempts").isEqualTo(this.waiters));
		assertThat(decided(attempts)).as("decided attempts").isZero();
	}

	private static long queued(List<LockAttempt> attempts) {
		return attempts.stream().filter((each) -> each.phase() == Phase.QUEUED).count();
	}

	private static long decided(List<LockAttempt> attempts) {
		return attempts.stream().filter((each) -> each.outcome().isDone()).count();
	}

	/**
	 * Let another client hold every lock.
	 */
	private void holdAll() throws Exception {
		CuratorFramework other = this.server.observer();
		other.createContainers(Instance.ROOT);
		for (int first = 0; first < this.waiters; first += BATCH) {
			List<CuratorOp> creations = new ArrayList<>();
			for (int key = first; key < first + BATCH; key++) {
				creations.add(other.transactionOp().create().withMode(CreateMode.CONTAINER).forPath(pathOf(key)));
				creations.add(other.transactionOp()
					.create()
					.withMode(CreateMode.EPHEMERAL)
					.forPath(pathOf(key) + HOLDER, "holder".getBytes(StandardCharsets.UTF_8)));
			}
			other.transaction().forOperations(creations);
		}
	}

	/**
	 * Wait for a held lock once, and hold a free one, so that all threads that it takes
	 * are there.
	 */
	private void warm() throws Exception {
		this.instance.template().acquire(REQUEST.withKey("free")).close();
		LockAttempt attempt = this.instance.provider().attempt(REQUEST.withKey(0), LockCaller.current());
		await().until(() -> this.server.watches() == 2);
		attempt.abandon();
		await().until(() -> this.server.watches() == 0 && contendersOf(0) == 1);
	}

	private int contendersOf(int key) {
		return this.server.contenders(REQUEST.withKey(key)).size();
	}

	private static String pathOf(int key) {
		return LocalServer.pathOf(REQUEST.withKey(key));
	}

	private int nodes() throws Exception {
		return this.server.observer().getZookeeperClient().getZooKeeper().getAllChildrenNumber(Instance.ROOT);
	}

	/**
	 * Return the threads of this JVM, without those that no attempt uses: workers of the
	 * server, which runs here too and starts them when it needs them, and the pool of
	 * templates, which looks for leaks every ten seconds while a test before this one has
	 * left a hold open.
	 */
	private static Set<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> !name.startsWith("NIOWorkerThread") && !name.startsWith("Snapshot Thread")
					&& !name.startsWith("awaitility") && !name.matches("interlock-(worker-)?async-.*"))
			.collect(Collectors.toSet());
	}

}
