package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnClient}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OwnClientTests {

	private static final String UNANSWERED = "did not answer when the client was closed";

	/** Less than a close waits for a server at the most. */
	private static final Duration REASONABLE = Duration.ofMillis(4500);

	@Test
	void closeIsQuickWhenConnected() throws Exception {
		try (TestingServer server = new TestingServer(Ports.free())) {
			OwnClient client = start(server.getConnectString());
			client.framework().blockUntilConnected();
			assertThat(timeOf(client::close)).isLessThan(REASONABLE);
		}
	}

	@Test
	void closeIsQuickWhenConnectionsAreRefused() {
		OwnClient client = start("localhost:" + Ports.free());
		assertThat(timeOf(client::close)).isLessThan(REASONABLE);
	}

	@Test
	void closeIsBoundedWhenServerAcceptsAndNeverAnswers(CapturedOutput output) throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			OwnClient client = start("localhost:" + silent.getLocalPort());
			try (Socket accepted = silent.accept()) {
				assertThat(timeOf(client::close)).isLessThan(REASONABLE);
				assertThat(accepted.isConnected()).isTrue();
			}
		}
		assertThat(output).doesNotContain(UNANSWERED);
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.PACKETS_ARE_SWALLOWED)
	void closeIsBoundedWhenPacketsVanish() throws Exception {
		try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			List<Socket> backlog = fillBacklog(full);
			OwnClient client = start("localhost:" + full.getLocalPort());
			assertThat(timeOf(client::close)).isLessThan(REASONABLE);
			for (Socket socket : backlog) {
				socket.close();
			}
		}
	}

	@Test
	void closeSaysThatServerDoesNotEndTheSession(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer(Ports.free());
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.getPort())) {
			OwnClient client = start(proxy.connectString());
			client.framework().blockUntilConnected();
			proxy.blackHole();
			client.close();
			assertThat(output).containsOnlyOnce(UNANSWERED);
		}
	}

	@Test
	void closeLeavesNoThread() throws Exception {
		// Those that all clients of a JVM share end when they are idle.
		List<Thread> before = threads("interlock-");
		try (TestingServer server = new TestingServer(Ports.free())) {
			OwnClient client = start(server.getConnectString());
			client.framework().blockUntilConnected();
			client.framework().runSafe(() -> {
			}).get();
			assertThat(threads("interlock-listen-zookeeper-")).isNotEmpty();
			client.close();
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(threads("interlock-")).as("threads after close").allMatch(before::contains));
		}
	}

	private static List<Thread> threads(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(prefix))
			.toList();
	}

	private static Duration timeOf(Runnable action) {
		long start = System.nanoTime();
		action.run();
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private static List<Socket> fillBacklog(ServerSocket server) throws IOException {
		List<Socket> sockets = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			Socket socket = new Socket();
			sockets.add(socket);
			try {
				socket.connect(server.getLocalSocketAddress(), 200);
			}
			catch (IOException ex) {
				break;
			}
		}
		return sockets;
	}

	private static OwnClient start(String connectString) {
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs(30_000)
			.connectionTimeoutMs(15_000)
			.retryPolicy(new RetryOneTime(10));
		return OwnClient.start(builder, null, null, (customized) -> {
		});
	}

}
