package io.interlock.zookeeper.internal.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

import com.codahale.metrics.Reservoir;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xerial.snappy.SnappyInputStream;

import org.springframework.boot.test.context.FilteredClassLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link EmbeddedZooKeeper}.
 */
class EmbeddedZooKeeperTests {

	@ParameterizedTest
	@ValueSource(strings = { "com.codahale.metrics", "org.xerial.snappy" })
	void namesDependenciesWhenLibraryIsMissing(String packageName) {
		assertThatExceptionOfType(ZooKeeperStartupException.class)
			.isThrownBy(() -> EmbeddedZooKeeper.checkLibraries(new FilteredClassLoader(packageName)))
			.withMessageContaining("'" + packageName)
			.satisfies((ex) -> assertThat(ex.getAction()).contains("io.dropwizard.metrics:metrics-core:")
				.contains("org.xerial.snappy:snappy-java:"));
	}

	@Test
	void namesVersionsThatAreTested() {
		assertThat(jar(Reservoir.class)).endsWith(fileName(EmbeddedZooKeeper.METRICS_LIBRARY));
		assertThat(jar(SnappyInputStream.class)).endsWith(fileName(EmbeddedZooKeeper.SNAPPY_LIBRARY));
	}

	@Test
	void keepsDataAndPortWhileItIsStopped() throws Exception {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(0, null)) {
			String connectString = server.connectString();
			Stat before = inClient(server, (client) -> stat(client, client.create().forPath("/kept")));
			server.stop();
			assertThat(server.isRunning()).isFalse();
			assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> connect(connectString).close());
			server.start();
			assertThat(server.isRunning()).isTrue();
			assertThat(server.connectString()).isEqualTo(connectString);
			Stat kept = inClient(server, (client) -> stat(client, "/kept"));
			assertThat(kept).isEqualTo(before);
			Stat after = inClient(server, (client) -> stat(client, client.create().forPath("/later")));
			assertThat(after.getCzxid()).isGreaterThan(before.getCzxid());
		}
	}

	@Test
	void stopsAndStartsOnce() {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(0, null)) {
			server.start();
			server.stop();
			server.stop();
			assertThat(server.isRunning()).isFalse();
		}
	}

	@Test
	void doesNotStartAgainWhenItIsClosed() {
		EmbeddedZooKeeper server = EmbeddedZooKeeper.start(0, null);
		server.close();
		assertThatIllegalStateException().isThrownBy(server::start).withMessageContaining("is closed");
	}

	@Test
	void saysThatItsPortIsTakenWhenItStartsAgain() throws IOException {
		try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(0, null)) {
			server.stop();
			try (ServerSocket taken = new ServerSocket(port(server.connectString()), 1, loopback())) {
				assertThatExceptionOfType(ZooKeeperStartupException.class).isThrownBy(server::start)
					.withMessageContaining("cannot listen on port %d".formatted(taken.getLocalPort()));
			}
			server.start();
			assertThat(server.isRunning()).isTrue();
		}
	}

	private static <T> T inClient(EmbeddedZooKeeper server, ClientCallback<T> callback) throws Exception {
		try (CuratorFramework client = CuratorFrameworkFactory.newClient(server.connectString(),
				new RetryForever(100))) {
			client.start();
			return callback.with(client);
		}
	}

	private static Stat stat(CuratorFramework client, String path) throws Exception {
		return client.checkExists().forPath(path);
	}

	private static Socket connect(String connectString) throws IOException {
		return new Socket(loopback(), port(connectString));
	}

	private static int port(String connectString) {
		return Integer.parseInt(connectString.substring(connectString.lastIndexOf(':') + 1));
	}

	private static InetAddress loopback() throws IOException {
		return InetAddress.getByName("127.0.0.1");
	}

	private static String jar(Class<?> type) {
		return type.getProtectionDomain().getCodeSource().getLocation().getPath();
	}

	private static String fileName(String library) {
		String[] coordinates = library.split(":");
		return coordinates[1] + "-" + coordinates[2] + ".jar";
	}

	/**
	 * Uses a client.
	 *
	 * @param <T> type of the result
	 */
	@FunctionalInterface
	private interface ClientCallback<T> {

		T with(CuratorFramework client) throws Exception;

	}

}
