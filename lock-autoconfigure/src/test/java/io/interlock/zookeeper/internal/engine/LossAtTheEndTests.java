package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
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
	void bodiesThatEndRightAfterTheirLeaseAreAllToldOfTheLoss() {
		List<String> results = new ArrayList<>();
		for (int round = 0; round < 4; round++) {
			hold(round + "-", 50, results);
			this.proxy.heal();
			await().until(this.instance.client().getZookeeperClient()::isConnected);
		}
		assertThat(results).hasSize(200).containsOnly("lost");
	}

	private void hold(String key, int bodies, List<String> results) {
		if (bodies == 0) {
			return;
		}
		try {
			results.add(this.instance.template().execute(LockRequest.exclusive("end").withKey(key + bodies), (lock) -> {
				hold(key, bodies - 1, results);
				if (bodies == 1) {
					this.proxy.blackHole();
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
