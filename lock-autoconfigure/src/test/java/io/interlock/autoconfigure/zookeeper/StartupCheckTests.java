package io.interlock.autoconfigure.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.thread.Background;
import io.interlock.zookeeper.LockAcl;
import io.interlock.zookeeper.internal.client.StartupCheck;
import io.interlock.zookeeper.internal.client.ZooKeeperStartupException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link StartupCheck} against real servers.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupCheckTests {

	private static TestingServer server;

	private static CuratorFramework operator;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
				ZooKeeperLockAutoConfiguration.class));

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
		operator = CuratorFrameworkFactory.builder()
			.connectString(server.getConnectString())
			.retryPolicy(new RetryOneTime(100))
			.authorization("digest", "alice:right".getBytes(StandardCharsets.UTF_8))
			.build();
		operator.start();
		createForAlice("/alice");
		createForAlice("/alice-locks");
	}

	@AfterAll
	static void stop() throws IOException {
		operator.close();
		server.close();
	}

	@Test
	void createsPersistentRootPath() {
		waiting("").withPropertyValues("interlock.zookeeper.root-path=/apps/created").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(operator.checkExists().forPath("/apps/created").getEphemeralOwner()).isZero();
			assertThat(operator.getChildren().forPath("/apps/created")).isEmpty();
			assertThat(operator.getData().forPath("/apps/created")).isEmpty();
		});
	}

	@Test
	void createsRootPathInTheBackgroundOnceThereIsServer() throws Exception {
		int port = Ports.free();
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.connect-string=localhost:" + port,
					"interlock.zookeeper.root-path=/later")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				try (TestingServer late = new TestingServer(port);
						CuratorFramework client = client(late.getConnectString())) {
					await().atMost(Duration.ofSeconds(20))
						.untilAsserted(() -> assertThat(client.checkExists().forPath("/later")).isNotNull());
				}
			});
	}

	@Test
	void acceptsRootPathBelowPathOfOthers() {
		waiting("/alice").withPropertyValues("interlock.zookeeper.username=alice", "interlock.zookeeper.password=right")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void failsWithUserAndPathWhenCredentialsAreWrong() {
		waiting("/alice")
			.withPropertyValues("interlock.zookeeper.username=alice", "interlock.zookeeper.password=wrong-secret",
					"interlock.zookeeper.root-path=/not-hers")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).isEqualTo("ZooKeeper at '" + server.getConnectString()
						+ "/alice' does not allow user 'alice' to create and delete lock nodes below '/not-hers'.");
				assertThat(analysis.getAction()).contains("interlock.zookeeper.username")
					.contains("interlock.zookeeper.password")
					.contains("interlock.zookeeper.root-path")
					.doesNotContain("wrong-secret");
			});
	}

	@Test
	void failsWhenExistingRootPathBelongsToOthers() {
		waiting("").withPropertyValues("interlock.zookeeper.root-path=/alice-locks")
			.run((context) -> assertThat(analysis(context).getDescription())
				.endsWith("does not allow this client to create and delete lock nodes below '/alice-locks'."));
	}

	@Test
	void failsWithChrootThatDoesNotExist() {
		waiting("/no/such").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).isEqualTo("The chroot '/no/such' of the ZooKeeper connect string '"
					+ server.getConnectString() + "/no/such' does not exist.");
			assertThat(analysis.getAction()).startsWith("Create '/no/such' in ZooKeeper");
		});
	}

	@Test
	void failsWithServerThatIsTooOld() throws Exception {
		CuratorFramework client = mock(RETURNS_DEEP_STUBS);
		given(client.blockUntilConnected(anyInt(), any())).willReturn(true);
		given(client.getNamespace()).willReturn("");
		given(client.getZookeeperClient().getCurrentConnectionString()).willReturn("old:2181");
		given(client.checkExists().forPath("/interlock")).willThrow(new KeeperException.UnimplementedException());
		StartupCheck check = new StartupCheck(client, null, null, "/interlock", null, LockAcl.OPEN,
				Duration.ofSeconds(10));
		assertThatExceptionOfType(ZooKeeperStartupException.class).isThrownBy(check::afterPropertiesSet)
			.withMessage(
					"ZooKeeper at 'old:2181' is too old for locks: it lacks requests that ZooKeeper 3.5 introduced.")
			.satisfies((failure) -> assertThat(failure.getAction())
				.isEqualTo("Update the servers to ZooKeeper 3.5 or later."));
	}

	@Test
	void failsWhenServerIsNotReachedInTime() throws Exception {
		String connectString = "localhost:" + Ports.free();
		long start = System.nanoTime();
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.connect-string=" + connectString,
					"interlock.startup-timeout=500ms")
			.run((context) -> {
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(14));
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).isEqualTo(
						"ZooKeeper at '" + connectString + "' cannot be reached within the startup timeout of 500 ms.");
				assertThat(analysis.getAction()).contains("Start ZooKeeper")
					.contains("interlock.zookeeper.connect-string")
					.contains("interlock.zookeeper.embedded.enabled=true")
					.contains("interlock.startup-timeout=0");
			});
	}

	@Test
	void theFirstTryWaitsForItsConnection() {
		try (TcpProxy line = TcpProxy.to(server.getPort())) {
			line.blackHole();
			this.contextRunner
				.withPropertyValues("interlock.zookeeper.connect-string=" + line.connectString(),
						"interlock.try-timeout=100ms")
				.run((context) -> {
					LockTemplate template = context.getBean(LockTemplate.class);
					HeldLocks heldLocks = context.getBean(HeldLocks.class);
					Background<Optional<LockHandle>> job = Background
						.start(() -> template.tryAcquire(LockRequest.exclusive("report")));
					await().until(() -> !job.isRunning() || heldLocks.waiting()
						.stream()
						.anyMatch((each) -> each.since().isBefore(Instant.now().minus(Duration.ofMillis(1200)))));
					line.heal();
					assertThat(job.join()).isPresent();
				});
		}
	}

	@Test
	void logsOnceWithoutStartupTimeout(CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.connect-string=" + server.getConnectString() + "/no/such")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				await()
					.untilAsserted(() -> assertThat(output).containsOnlyOnce("The chroot '/no/such' of the ZooKeeper"));
				assertThat(output).containsPattern("ERROR.*The chroot '/no/such'.*Create '/no/such' in ZooKeeper");
			});
	}

	@Test
	void endsQuietlyWithApplicationThatNeverConnected(CapturedOutput output) {
		// Cached contexts of other tests may have such a thread.
		List<Thread> before = checks();
		this.contextRunner.withPropertyValues("interlock.zookeeper.connect-string=localhost:1")
			.run((context) -> assertThat(context).hasSingleBean(StartupCheck.class));
		await().untilAsserted(() -> assertThat(checks()).as("threads of start-up checks").allMatch(before::contains));
		assertThat(output).doesNotContain("Lock nodes cannot be created");
	}

	@Test
	void createsRootPathInNamespaceOfClientOfApplication() {
		this.contextRunner.withPropertyValues("interlock.startup-timeout=10s")
			.withBean("mine", CuratorFramework.class, () -> {
				CuratorFramework client = CuratorFrameworkFactory.builder()
					.connectString(server.getConnectString())
					.retryPolicy(new RetryOneTime(100))
					.namespace("theirs")
					.build();
				client.start();
				return client;
			})
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(operator.checkExists().forPath("/theirs/interlock")).isNotNull();
			});
	}

	@Test
	void reportsThroughFailureAnalyzerOfApplication(CapturedOutput output) {
		SpringApplication application = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("interlock.zookeeper.connect-string=" + server.getConnectString() + "/no/such",
					"interlock.startup-timeout=10s")
			.build();
		assertThatExceptionOfType(Exception.class).isThrownBy(application::run);
		assertThat(output).contains("APPLICATION FAILED TO START").contains("The chroot '/no/such'");
	}

	private ApplicationContextRunner waiting(String chroot) {
		return this.contextRunner.withPropertyValues(
				"interlock.zookeeper.connect-string=" + server.getConnectString() + chroot,
				"interlock.startup-timeout=20s");
	}

	private static List<Thread> checks() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("interlock-worker-startup"))
			.toList();
	}

	private static void createForAlice(String path) throws Exception {
		List<ACL> acl = List.of(new ACL(ZooDefs.Perms.ALL, new Id("auth", "")));
		operator.create().withACL(acl).forPath(path);
	}

	private static CuratorFramework client(String connectString) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(connectString, new RetryOneTime(100));
		client.start();
		return client;
	}

	private static FailureAnalysis analysis(AssertableApplicationContext context) {
		FailureAnalysis analysis = new CuratorAutoConfiguration.StartupFailureAnalyzer()
			.analyze(context.getStartupFailure());
		assertThat(analysis).isNotNull();
		return analysis;
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
			ZooKeeperLockAutoConfiguration.class })
	static class Application {

	}

}
