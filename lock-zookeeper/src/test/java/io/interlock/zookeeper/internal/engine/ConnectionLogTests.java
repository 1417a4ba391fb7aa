package io.interlock.zookeeper.internal.engine;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.internal.session.ConnectionLog;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ConnectionLog}.
 */
@ExtendWith({ SharedServer.class, OutputCaptureExtension.class })
class ConnectionLogTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("connection-log");

	/**
	 * Tells lines of these tests from those of an instance that an earlier one has left.
	 */
	private static final String SERVERS = "zoo1:2181";

	private final LocalServer server;

	ConnectionLogTests(LocalServer server) {
		this.server = server;
	}

	@Test
	void shortSessionIsSaidOnceAndEachOutageTwice(CapturedOutput output) throws Exception {
		String interrupted = "The connection to ZooKeeper at '%s' is interrupted. Callers that request locks wait "
			.formatted(this.server.connectString());
		try (Instance instance = Instance.connectedTo(this.server.connectString(), Duration.ofSeconds(6))) {
			instance.template().acquire(REQUEST).close();
			for (int session = 1; session <= 2; session++) {
				int expected = session;
				instance.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
				await()
					.until(() -> count(output, "in a new session: locks that were held before are lost") == expected);
				instance.template().acquire(REQUEST).close();
			}
			await().until(() -> count(output, "is back after") == count(output, interrupted));
		}
		assertThat(count(output, "The negotiated session timeout is PT6S")).isEqualTo(1);
		assertThat(count(output, "in a new session: locks that were held before are lost")).isEqualTo(2);
		// A slow machine may add outages: Curator forgets a connection, or a beat comes
		// late.
		long others = count(output, "in the same session");
		assertThat(count(output, interrupted)).isEqualTo(2 + others);
		assertThat(count(output, "is back after")).isEqualTo(2 + others);
	}

	@ParameterizedTest
	@CsvSource({ "1, 'in the same session: locks that were not lost or released meanwhile are still held'",
			"2, 'in a new session: locks that were held before are lost'" })
	void saysWhatHasBecomeOfTheSession(long session, String outcome, CapturedOutput output) {
		ConnectionLog log = new ConnectionLog(client(), true);
		SessionStatus first = status(1);
		log.connected(first);
		log.interrupted(first.left(SessionSnapshot.State.SUSPENDED), lease(1));
		log.interrupted(first.left(SessionSnapshot.State.LOST), lease(1));
		log.connected(status(session));
		log.connected(status(session));
		assertThat(output.getAll().lines().filter((line) -> line.contains(SERVERS))).hasSize(2)
			.anyMatch((line) -> line.contains("WARN") && line.contains("fail at once"))
			.anyMatch((line) -> line.contains("WARN") && line.endsWith(outcome));
	}

	@Test
	void endOfTheClientIsNoOutage(CapturedOutput output) {
		ConnectionLog log = new ConnectionLog(client(), false);
		SessionStatus first = status(1);
		log.connected(first);
		log.interrupted(first.left(SessionSnapshot.State.CLOSED), lease(1));
		assertThat(output).doesNotContain(SERVERS);
	}

	private static SessionStatus status(long session) {
		return SessionStatus.initial().connected(lease(session), 1, mock(ZooKeeper.class));
	}

	private static SessionLease lease(long session) {
		return new SessionLease(session, Duration.ofSeconds(30), System.nanoTime());
	}

	private static CuratorFramework client() {
		CuratorFramework client = mock(CuratorFramework.class);
		CuratorZookeeperClient zooKeeperClient = mock(CuratorZookeeperClient.class);
		given(client.getZookeeperClient()).willReturn(zooKeeperClient);
		given(zooKeeperClient.getCurrentConnectionString()).willReturn(SERVERS);
		return client;
	}

	private static long count(CapturedOutput output, String text) {
		return output.getAll().lines().filter((line) -> line.contains(text)).count();
	}

}
