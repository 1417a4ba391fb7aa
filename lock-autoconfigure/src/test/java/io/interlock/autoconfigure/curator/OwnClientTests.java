package io.interlock.autoconfigure.curator;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnClient}.
 */
class OwnClientTests {

	private static final Duration REASONABLE = Duration.ofSeconds(3);

	@Test
	void closeIsQuickWhenConnected() throws Exception {
		try (TestingServer server = new TestingServer()) {
			OwnClient client = start(server.getConnectString());
			client.framework().blockUntilConnected();
			assertThat(timeOf(client::close)).isLessThan(Duration.ofSeconds(2));
		}
	}

	@Test
	void closeIsQuickWhenConnectionsAreRefused() throws Exception {
		OwnClient client = start("localhost:" + freePort());
		assertThat(timeOf(client::close)).isLessThan(REASONABLE);
	}

	@Test
	void closeIsBoundedWhenServerAcceptsAndNeverAnswers() throws Exception {
		try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			OwnClient client = start("localhost:" + silent.getLocalPort());
			try (Socket accepted = silent.accept()) {
				assertThat(timeOf(client::close)).isLessThan(REASONABLE);
				assertThat(accepted.isConnected()).isTrue();
			}
		}
	}

	@Test
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
	void closeLeavesNoThread() throws Exception {
		try (TestingServer server = new TestingServer()) {
			OwnClient client = start(server.getConnectString());
			client.framework().blockUntilConnected();
			client.framework().runSafe(() -> {
			}).get();
			assertThat(threads("interlock-notify-")).isNotEmpty();
			client.close();
			Awaitility.await()
				.untilAsserted(() -> assertThat(threads("interlock-")).as("threads after close").isEmpty());
		}
	}

	private static List<String> threads(String prefix) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith(prefix))
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

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static OwnClient start(String connectString) {
		ZooKeeperProperties properties = new Binder(new MapConfigurationPropertySource())
			.bindOrCreate("interlock.zookeeper", ZooKeeperProperties.class);
		return OwnClient.start(() -> connectString, properties, new RetryOneTime(10), List.of());
	}

}
