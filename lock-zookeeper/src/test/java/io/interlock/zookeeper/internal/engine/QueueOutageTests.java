package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueSnapshot;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for connections and sessions that break while threads of one instance queue among
 * themselves.
 */
@Timeout(90)
@ExtendWith(SharedServer.class)
class QueueOutageTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("queue-outage")
		.withWaitTime(Duration.ofSeconds(60));

	private static final QueueSettings LONG_TENURES = new QueueSettings(true, Map.of(), Duration.ofMinutes(10), 1000,
			1000);

	private final RecordingListener listener = new RecordingListener();

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance instance;

	QueueOutageTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.queueing(this.proxy.connectString(), Duration.ofSeconds(10), LONG_TENURES,
				this.listener);
		this.instance.template().acquire(REQUEST).close();
	}

	@AfterEach
	void disconnect() {
		this.proxy.heal();
		this.instance.close();
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_SESSION_EXPIRES)
	void waitersGoOnInOrderAfterTheSessionExpired() throws Exception {
		LockHandle held = this.instance.template().acquire(REQUEST);
		CompletableFuture<LockHandle> second = acquire(1);
		CompletableFuture<LockHandle> third = acquire(2);
		this.instance.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		LockHandle next = second.get(30, TimeUnit.SECONDS);
		assertThat(next.isValid()).isTrue();
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(third).isNotDone();
		assertThat(held.isValid()).isFalse();
		await().untilAsserted(() -> assertThat(this.listener.lost()).hasSize(1));
		held.close();
		assertThat(next.isValid()).isTrue();
		next.close();
		third.get(30, TimeUnit.SECONDS).close();
		assertThat(this.listener.lost()).hasSize(1);
	}

	@Test
	void nothingIsHandedOverWhileSuspended() throws Exception {
		LockHandle held = this.instance.template(Duration.ofSeconds(1)).acquire(REQUEST);
		CompletableFuture<LockHandle> second = acquire(1);
		this.proxy.refuse();
		await().until(() -> !held.isValid());
		held.close();
		assertThat(second).isNotDone();
		this.proxy.heal();
		LockHandle next = second.get(30, TimeUnit.SECONDS);
		assertThat(next.isValid()).isTrue();
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.close();
		await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
		assertThat(this.listener.lost()).isEmpty();
	}

	@Test
	void aReleaseBehindABlackHoleKeepsNobodyFromAnAnswer() throws Exception {
		Instance strict = Instance.queueing(this.proxy.connectString(), Duration.ofSeconds(5),
				new QueueSettings(true, Map.of(), Duration.ZERO, 0, 1000));
		LockHandle held = strict.template(Duration.ofSeconds(1)).acquire(REQUEST);
		CompletableFuture<LockHandle> brief = acquire(strict, REQUEST.withWaitTime(Duration.ofSeconds(3)));
		CompletableFuture<LockHandle> patient = acquire(strict, REQUEST);
		await().until(() -> waiting(strict) == 2);
		this.proxy.blackHole();
		held.close();
		assertThat(brief).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockServiceUnavailableException.class);
		assertThat(patient).isNotDone();
		this.proxy.heal();
		LockHandle next = patient.get(40, TimeUnit.SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		next.close();
		await().atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
		strict.close();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.CONNECTIONS_ARE_REFUSED)
	void failingFastReachesAllWaitersBehindALocalHolder() throws Exception {
		ZooKeeperLockSettings failFast = new ZooKeeperLockSettings(Instance.ROOT, "test", Duration.ofSeconds(5),
				Recipe.PIPELINED, Map.of(), true);
		Instance hasty = Instance.queueing(this.proxy.connectString(), Duration.ofSeconds(10), failFast, LONG_TENURES);
		hasty.client().blockUntilConnected();
		LockHandle held = hasty.template().acquire(REQUEST);
		List<CompletableFuture<LockHandle>> waiters = List.of(acquire(hasty, REQUEST), acquire(hasty, REQUEST));
		await().until(() -> waiting(hasty) == 2);
		this.proxy.refuse();
		for (CompletableFuture<LockHandle> each : waiters) {
			assertThat(each).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(LockServiceUnavailableException.class);
		}
		this.proxy.heal();
		held.close();
		hasty.close();
	}

	@Test
	void stoppingWakesThoseBehindALocalHolderAndSparesIt() throws Exception {
		LockHandle held = this.instance.template().acquire(REQUEST);
		CompletableFuture<LockHandle> second = acquire(1);
		this.instance.heldLocks().stop();
		assertThat(second).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockServiceUnavailableException.class)
			.withMessageContaining("shutting down");
		assertThat(held.isValid()).isTrue();
		held.close();
		await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
	}

	private CompletableFuture<LockHandle> acquire(int place) {
		CompletableFuture<LockHandle> acquired = acquire(this.instance, REQUEST);
		await().until(() -> waiting(this.instance) == place);
		return acquired;
	}

	private static CompletableFuture<LockHandle> acquire(Instance instance, LockRequest request) {
		return CompletableFuture.supplyAsync(() -> instance.template().acquire(request),
				(task) -> new Thread(task).start());
	}

	private static int waiting(Instance instance) {
		return instance.queue().queues().stream().mapToInt(QueueSnapshot::waiting).sum();
	}

}
