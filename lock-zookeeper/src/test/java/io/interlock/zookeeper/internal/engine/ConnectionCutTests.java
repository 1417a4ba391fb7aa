package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for connections that break while a lock is asked for, waited for, held, or
 * released, and are mended or not.
 */
@ExtendWith(SharedServer.class)
class ConnectionCutTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("cut");

	private final RecordingListener listener = new RecordingListener();

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance instance;

	ConnectionCutTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(10), this.listener);
		this.instance.template().acquire(REQUEST).close();
	}

	@AfterEach
	void disconnect() {
		this.proxy.heal();
		this.instance.close();
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.THE_PLACE_IN_THE_QUEUE, under = Fault.CONNECTIONS_ARE_REFUSED)
	void waiterKeepsItsPlaceOverACutThatTheSessionSurvives() throws Exception {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = holder.template().acquire(REQUEST);
			CompletableFuture<LockHandle> waiting = CompletableFuture
				.supplyAsync(() -> this.instance.template().acquire(REQUEST.withWaitTime(Duration.ofSeconds(30))));
			await().until(() -> this.server.contenders(REQUEST).size() == 2);
			List<String> before = this.server.contenders(REQUEST);
			this.proxy.refuse();
			await().until(() -> !this.instance.client().getZookeeperClient().isConnected());
			this.proxy.heal();
			await().until(this.instance.client().getZookeeperClient()::isConnected);
			assertThat(this.server.contenders(REQUEST)).containsExactlyInAnyOrderElementsOf(before);
			held.close();
			try (LockHandle granted = waiting.get(20, TimeUnit.SECONDS)) {
				assertThat(before).containsAll(this.server.contenders(REQUEST));
				assertThat(granted.isValid()).isTrue();
			}
		}
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.ANSWERS_ARE_MISSING)
	void lostReplyToTheCreationLeavesOneNodeAndItsToken() throws Exception {
		this.proxy.loseNextReply(Operation.CREATE2);
		try (LockHandle held = this.instance.template().acquire(REQUEST)) {
			assertThat(this.server.contenders(REQUEST)).hasSize(1);
			assertThat(held.fencingToken()).isEqualTo(onlyNode().getCzxid());
			assertThat(held.isValid()).isTrue();
		}
	}

	/**
	 * Every answer that a waiter gets on its way to the lock may be lost with its
	 * connection.
	 */
	@ParameterizedTest
	@EnumSource(names = { "CREATE2", "GET_CHILDREN2", "EXISTS", "WATCH_EVENT" })
	void lostAnswerOnTheWayToTheLockLeavesOneNodeAndNoWatch(Operation phase) throws Exception {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockHandle inFront = holder.template().acquire(REQUEST);
			this.proxy.forget();
			this.proxy.loseNextReply(phase);
			CompletableFuture<LockHandle> waiting = CompletableFuture
				.supplyAsync(() -> this.instance.template().acquire(REQUEST.withWaitTime(Duration.ofSeconds(20))));
			if (phase != Operation.WATCH_EVENT) {
				await().until(() -> this.proxy.count(Operation.CONNECT) > 0);
			}
			await().until(() -> this.server.contenders(REQUEST).size() == 2 && this.server.watches() > 0);
			inFront.close();
			try (LockHandle granted = waiting.get(20, TimeUnit.SECONDS)) {
				assertThat(this.server.contenders(REQUEST)).hasSize(1);
				assertThat(granted.fencingToken()).isEqualTo(onlyNode().getCzxid());
				assertThat(granted.isValid()).isTrue();
			}
			assertThat(this.proxy.count(Operation.CONNECT)).as("connected again").isPositive();
		}
		await().untilAsserted(() -> {
			assertThat(this.server.contenders(REQUEST)).isEmpty();
			assertThat(this.server.watches()).isZero();
		});
		assertThat(this.listener.lost()).isEmpty();
	}

	@Test
	void lostReplyToTheReleaseIsNoLoss() {
		Duration patience = Duration.ofSeconds(20);
		try (Instance patient = Instance.with(this.proxy.connectString(), Duration.ofSeconds(10),
				new ZooKeeperLockSettings(Instance.ROOT, "test", patience, Recipe.PIPELINED, Map.of(), false),
				this.listener)) {
			LockHandle held = patient.template().acquire(REQUEST);
			this.proxy.loseNextReply(Operation.DELETE);
			held.close();
			await().untilAsserted(() -> assertThat(patient.provider().pendingReleases()).isZero());
			assertThat(this.server.contenders(REQUEST)).isEmpty();
			assertThat(this.proxy.count(Operation.DELETE)).as("sent again").isGreaterThanOrEqualTo(3);
		}
		assertThat(this.listener.lost()).isEmpty();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.PACKETS_ARE_SWALLOWED)
	void releaseBehindABlackHoleGoesOnInTheBackground() {
		LockHandle held = this.instance.template(Duration.ofSeconds(1)).acquire(REQUEST);
		this.proxy.blackHole();
		long startedAt = System.nanoTime();
		held.close();
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isBetween(Duration.ofMillis(990),
				Duration.ofSeconds(6));
		assertThat(this.instance.provider().pendingReleases()).isEqualTo(1);
		assertThat(this.server.contenders(REQUEST)).hasSize(1);
		this.proxy.heal();
		await().untilAsserted(() -> {
			assertThat(this.instance.provider().pendingReleases()).isZero();
			assertThat(this.server.contenders(REQUEST)).isEmpty();
		});
		assertThat(this.listener.lost()).isEmpty();
	}

	@Test
	void releaseWhileDisconnectedIsMadeUpForWithTheSameSession() {
		LockHandle held = this.instance.template(Duration.ofSeconds(1)).acquire(REQUEST);
		this.proxy.refuse();
		await().until(() -> !held.isValid());
		held.close();
		assertThat(this.instance.provider().pendingReleases()).isEqualTo(1);
		this.proxy.heal();
		await().untilAsserted(() -> {
			assertThat(this.instance.provider().pendingReleases()).isZero();
			assertThat(this.server.contenders(REQUEST)).isEmpty();
		});
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.CONNECTIONS_ARE_REFUSED)
	void validityIsWithdrawnDuringACutAndReturnsWithTheSession() {
		try (LockHandle held = this.instance.template().acquire(REQUEST)) {
			this.proxy.refuse();
			await().until(() -> !held.isValid());
			this.proxy.heal();
			await().until(held::isValid);
			held.verify();
		}
		assertThat(this.listener.lost()).isEmpty();
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.PACKETS_ARE_SWALLOWED)
	void holderBehindABlackHoleKnowsOfItsLossBeforeTheNextIsGranted() {
		RecordingListener told = new RecordingListener();
		try (Instance cutOff = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(3), told);
				Instance other = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = cutOff.template().acquire(REQUEST);
			await().until(() -> this.proxy.count(Operation.SYNC) > 0);
			this.proxy.blackHole();
			try (LockHandle next = other.template().acquire(REQUEST.withWaitTime(Duration.ofSeconds(20)))) {
				assertThat(held.isValid()).isFalse();
				assertThat(held.isLost()).isTrue();
				await().untilAsserted(() -> assertThat(told.lost()).hasSize(1));
				assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			}
			this.proxy.heal();
			held.close();
		}
	}

	private Stat onlyNode() throws Exception {
		String path = LocalServer.pathOf(REQUEST) + "/" + this.server.contenders(REQUEST).get(0);
		return this.server.observer().checkExists().forPath(path);
	}

}
