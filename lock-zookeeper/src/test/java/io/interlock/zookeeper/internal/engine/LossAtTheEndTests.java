package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.testsupport.thread.Background;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for bodies that end in the last moments of their lease.
 */
@ExtendWith(SharedServer.class)
@Timeout(120)
class LossAtTheEndTests {

	private static final Duration SESSION = Duration.ofSeconds(2);

	private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final int ROUNDS = 4;

	private static final int BODIES = 50;

	private final LocalServer server;

	private final RecordingListener listener = new RecordingListener();

	private ZooKeeperProxy proxy;

	private Instance instance;

	LossAtTheEndTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.connectedTo(this.proxy.connectString(), SESSION, this.listener);
	}

	@AfterEach
	void disconnect() {
		this.proxy.heal();
		this.instance.close();
		this.proxy.close();
	}

	/**
	 * Bodies inside each other, so that all of them end before the next tick, which is a
	 * tenth of a second away at the most. No event says that the session is over.
	 */
	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.PACKETS_ARE_SWALLOWED)
	void bodiesThatEndRightAfterTheirLeaseAreAllToldOfTheLoss() throws Exception {
		List<Background<List<String>>> rounds = new ArrayList<>();
		for (int round = 0; round < ROUNDS; round++) {
			String key = round + "-";
			rounds.add(Background.start(() -> resultsOfARound(key)));
		}
		for (Background<List<String>> round : rounds) {
			assertThat(round.joinWithin(Duration.ofSeconds(60))).hasSize(BODIES).containsOnly("lost");
		}
	}

	private List<String> resultsOfARound(String key) {
		List<String> results = new ArrayList<>();
		try (ZooKeeperProxy line = ZooKeeperProxy.to(this.server.port());
				Instance holder = Instance.connectedTo(line.connectString(), SESSION)) {
			hold(holder, line, key, BODIES, results);
			line.heal();
		}
		return results;
	}

	private static void hold(Instance holder, ZooKeeperProxy line, String key, int bodies, List<String> results) {
		if (bodies == 0) {
			return;
		}
		try {
			results.add(holder.template().execute(LockRequest.exclusive("end").withKey(key + bodies), (lock) -> {
				hold(holder, line, key, bodies - 1, results);
				if (bodies == 1) {
					line.blackHole();
					awaitTheEndOf(lock);
				}
				return "returned";
			}));
		}
		catch (LockLostException ex) {
			results.add("lost");
		}
	}

	private static void awaitTheEndOf(LockHandle lock) {
		SessionLease lease = lock.unwrap(NodeGrant.class).orElseThrow().lease();
		await().pollInterval(Duration.ofMillis(10)).until(() -> lease.isOver(System.nanoTime() + SOON_NANOS));
		while (!lease.isOver(System.nanoTime())) {
			Thread.onSpinWait();
		}
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.CONNECTIONS_ARE_REFUSED)
	void bodyThatEndsWhileItsLeaseIsGoodReturnsItsResultWithoutWaiting() {
		try (Instance patient = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(20))) {
			LockTemplate template = patient.template(Duration.ofMillis(500));
			long suspendedAt = template.execute(LockRequest.exclusive("covered"), (lock) -> {
				this.proxy.refuse();
				await().until(() -> !lock.isValid());
				assertThat(lock.isLost()).isFalse();
				return System.nanoTime();
			});
			assertThat(Duration.ofNanos(System.nanoTime() - suspendedAt)).as("the release waits, not the body")
				.isLessThan(Duration.ofSeconds(5));
			this.proxy.heal();
		}
	}

	@Test
	void lossByTheClockIsForGood() {
		try (LockHandle lock = this.instance.template().acquire(LockRequest.exclusive("for-good"))) {
			SessionLease lease = lock.unwrap(NodeGrant.class).orElseThrow().lease();
			this.proxy.blackHole();
			awaitTheEndOf(lock);
			assertThat(lock.isLost()).isTrue();
			lease.confirmed(System.nanoTime(), System.nanoTime());
			assertThat(lock.isLost()).isTrue();
			assertThat(lock.isValid()).isFalse();
			await().untilAsserted(() -> assertThat(this.listener.lost()).hasSize(1));
		}
	}

}
