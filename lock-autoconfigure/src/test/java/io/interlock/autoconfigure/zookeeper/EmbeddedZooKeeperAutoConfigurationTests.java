package io.interlock.autoconfigure.zookeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.interlock.testsupport.proxy.Ports;
import io.interlock.zookeeper.internal.client.EmbeddedZooKeeper;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EmbeddedZooKeeperAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class EmbeddedZooKeeperAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(EmbeddedZooKeeperAutoConfiguration.class, CuratorAutoConfiguration.class));

	private final ApplicationContextRunner enabled = this.contextRunner
		.withPropertyValues("interlock.zookeeper.embedded.enabled=true", "interlock.zookeeper.embedded.port=0");

	@Test
	void isOffByDefault() {
		this.contextRunner.withPropertyValues("interlock.zookeeper.connect-string=localhost:1")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedZooKeeper.class)
				.hasSingleBean(CuratorFramework.class));
	}

	@Test
	void isOffWhenLockingIsDisabled() {
		this.enabled.withPropertyValues("interlock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedZooKeeper.class));
	}

	@Test
	void servesClientOnFreeLoopbackPort(CapturedOutput output) {
		this.enabled.run((context) -> {
			ZooKeeperConnectionDetails details = context.getBean(ZooKeeperConnectionDetails.class);
			assertThat(details.connectString()).matches("127\\.0\\.0\\.1:[1-9]\\d*");
			assertThat(details.ensembleTracker()).isFalse();
			assertThat(connect(context).checkExists().forPath("/zookeeper")).isNotNull();
			assertThat(output).containsOnlyOnce("Embedded ZooKeeper listens on " + details.connectString()
					+ ", data in a temporary directory. It is for development, not for production");
		});
	}

	@Test
	void stopsAfterClientAndLeavesNothingBehind(CapturedOutput output) throws IOException {
		long before = temporaryDirectories();
		List<Thread> threadsBefore = threadsOfServers();
		this.enabled.run(EmbeddedZooKeeperAutoConfigurationTests::connect);
		assertThat(output).doesNotContain("did not answer when the client was closed").doesNotContain("did not stop");
		assertThat(temporaryDirectories()).isEqualTo(before);
		assertThat(threadsOfServers()).allMatch(threadsBefore::contains);
	}

	private static List<Thread> threadsOfServers() {
		return Thread.getAllStackTraces().keySet().stream().filter((thread) -> {
			ThreadGroup group = thread.getThreadGroup();
			return group != null && group.getName().equals("interlock-embedded-zookeeper");
		}).toList();
	}

	@Test
	void runsSeveralTimesInOneJvm() {
		this.enabled.run((first) -> this.enabled.run((second) -> {
			connect(first).create().forPath("/first");
			assertThat(connect(second).checkExists().forPath("/first")).isNull();
		}));
	}

	@Test
	void keepsServingWhenAnotherServerStops() {
		this.enabled.run((first) -> {
			this.enabled.run(EmbeddedZooKeeperAutoConfigurationTests::connect);
			connect(first).create().forPath("/still-here");
			assertThat(connect(first).checkExists().forPath("/still-here")).isNotNull();
		});
	}

	@Test
	void restartsOnSamePortWithItsData(@TempDir Path directory) throws IOException {
		ApplicationContextRunner runner = this.contextRunner.withPropertyValues(
				"interlock.zookeeper.embedded.enabled=true", "interlock.zookeeper.embedded.port=" + Ports.free(),
				"interlock.zookeeper.embedded.data-dir=" + directory.resolve("zk"));
		runner.run((context) -> connect(context).create().forPath("/kept"));
		runner.run((context) -> assertThat(connect(context).checkExists().forPath("/kept")).isNotNull());
		assertThat(directory.resolve("zk")).isDirectoryNotContaining("glob:**.properties");
	}

	@Test
	void namesPropertyWhenPortIsBusy() throws IOException {
		try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			this.enabled.withPropertyValues("interlock.zookeeper.embedded.port=" + busy.getLocalPort())
				.run((context) -> {
					FailureAnalysis analysis = analysis(context);
					assertThat(analysis.getDescription())
						.contains("cannot listen on port " + busy.getLocalPort() + " of 127.0.0.1");
					assertThat(analysis.getAction()).contains("interlock.zookeeper.embedded.port")
						.contains("interlock.zookeeper.connect-string=localhost:" + busy.getLocalPort());
				});
		}
	}

	@Test
	void namesPropertyWhenDataDirectoryIsNone(@TempDir Path directory) throws IOException {
		Path file = Files.createFile(directory.resolve("file"));
		this.enabled.withPropertyValues("interlock.zookeeper.embedded.data-dir=" + file)
			.run((context) -> assertThat(analysis(context).getAction())
				.contains("interlock.zookeeper.embedded.data-dir"));
	}

	@Test
	void refusesClientOfApplication() {
		this.enabled
			.withBean("mine", CuratorFramework.class,
					() -> CuratorFrameworkFactory.newClient("localhost:1", new RetryOneTime(1)))
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).contains("interlock.zookeeper.embedded.enabled")
					.contains("[mine]");
				assertThat(analysis.getAction()).contains("Remove interlock.zookeeper.embedded.enabled");
			});
	}

	@Test
	void backsOffForConnectionDetailsOfApplication() {
		this.enabled.withBean(ZooKeeperConnectionDetails.class, () -> () -> "localhost:1")
			.run((context) -> assertThat(context).doesNotHaveBean(EmbeddedZooKeeper.class)
				.hasSingleBean(ZooKeeperConnectionDetails.class));
	}

	private static CuratorFramework connect(AssertableApplicationContext context) throws InterruptedException {
		CuratorFramework client = context.getBean(CuratorFramework.class);
		assertThat(client.blockUntilConnected((int) Duration.ofSeconds(10).toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		return client;
	}

	private static FailureAnalysis analysis(AssertableApplicationContext context) {
		FailureAnalysis analysis = new CuratorAutoConfiguration.StartupFailureAnalyzer()
			.analyze(context.getStartupFailure());
		assertThat(analysis).isNotNull();
		return analysis;
	}

	private static long temporaryDirectories() throws IOException {
		String prefix = "interlock-zookeeper-%d-".formatted(ProcessHandle.current().pid());
		try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
			return files.filter((file) -> file.getFileName().toString().startsWith(prefix)).count();
		}
	}

}
