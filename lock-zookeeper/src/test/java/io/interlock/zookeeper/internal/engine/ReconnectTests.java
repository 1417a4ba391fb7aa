package io.interlock.zookeeper.internal.engine;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.internal.client.OwnClient;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the end of an outage: health says that the servers are back, and so do the
 * tries.
 */
@ExtendWith(SharedServer.class)
class ReconnectTests {

	/** Two seconds are its time to settle. */
	private static final Duration SESSION = Duration.ofSeconds(8);

	private static final Duration BOUND_OF_A_TRY = Duration.ofSeconds(1);

	private static final LockRequest TRY = LockRequest.exclusive("reconnect").withWaitTime(Duration.ZERO);

	private final LocalServer server;

	private ZooKeeperProxy line;

	private OwnClient client;

	private Instance instance;

	ReconnectTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.line = ZooKeeperProxy.to(this.server.port());
		this.client = OwnClient.start(CuratorFrameworkFactory.builder()
			.connectString(this.line.connectString())
			.sessionTimeoutMs((int) SESSION.toMillis())
			.connectionTimeoutMs(2000)
			.ensembleTracker(false)
			.retryPolicy(new ExponentialBackoffRetry(50, 3)), null, null, (builder) -> {
			});
		this.instance = Instance.on(this.client.framework());
		this.instance.template().acquire(TRY.withWaitTime(Duration.ofSeconds(10))).close();
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
		this.client.close();
		this.line.close();
	}

	private SessionSnapshot session() {
		return this.instance.provider().session();
	}

	/** More than half of the lease is over then, and the session lives. */
	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.CONNECTIONS_ARE_REFUSED)
	void triesAreServedOnceTheSessionIsBack() {
		long session = session().sessionId();
		this.line.refuse();
		await().until(() -> session().answerAge().compareTo(SESSION.dividedBy(2)) > 0);
		assertTriesAreServedOnceConnected();
		assertThat(session().sessionId()).isEqualTo(session);
	}

	@Deep
	@Test
	void triesAreServedOnceAnotherSessionIsThere() {
		long session = session().sessionId();
		this.line.refuse();
		await().atMost(SESSION.multipliedBy(3)).until(() -> session().state() == SessionSnapshot.State.LOST);
		assertTriesAreServedOnceConnected();
		assertThat(session().sessionId()).isNotEqualTo(session);
	}

	private void assertTriesAreServedOnceConnected() {
		this.line.heal();
		await().until(() -> session().state() == SessionSnapshot.State.CONNECTED);
		try (LockHandle lock = this.instance.template(BOUND_OF_A_TRY).tryAcquire(TRY).orElseThrow()) {
			assertThat(lock.isValid()).isTrue();
		}
	}

}
