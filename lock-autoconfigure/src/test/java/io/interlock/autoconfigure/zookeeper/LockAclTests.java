package io.interlock.autoconfigure.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.zookeeper.LockAcl;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@code interlock.zookeeper.acl} against a real server.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockAclTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(20));

	private static final byte[] NO_DATA = {};

	private static final List<ACL> OPEN = List.of(new ACL(Perms.ALL, new Id("world", "anyone")));

	private static TestingServer server;

	private static CuratorFramework alice;

	private static CuratorFramework mallory;

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
		alice = client("alice:secret");
		mallory = client("mallory:guess");
	}

	@AfterAll
	static void stop() throws IOException {
		alice.close();
		mallory.close();
		server.close();
	}

	@Test
	void leavesLocksOpenByDefault() {
		alice("/open", "open").run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire(ORDERS)) {
				assertThat(lock.isValid()).isTrue();
				assertThat(mallory.getACL().forPath("/open")).isEqualTo(OPEN);
				assertThat(mallory.getACL().forPath("/open/orders")).isEqualTo(OPEN);
				assertThat(mallory.getACL().forPath(nodeBelow("/open/orders"))).isEqualTo(OPEN);
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "pipelined", "curator" })
	void protectsRootPathAndLockPathAndLockNode(String recipe) {
		String root = "/protected/" + recipe;
		alice(root, "creator-all", "interlock.zookeeper.recipe=" + recipe).run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire(ORDERS)) {
				assertThat(lock.isValid()).isTrue();
				for (String path : List.of(root, root + "/orders", nodeBelow(root + "/orders"))) {
					assertThat(alice.getACL().forPath(path)).as(path).singleElement().satisfies((acl) -> {
						assertThat(acl.getPerms()).isEqualTo(Perms.ALL);
						assertThat(acl.getId().getScheme()).isEqualTo("digest");
						assertThat(acl.getId().getId()).startsWith("alice:");
					});
				}
			}
		});
	}

	@Test
	void protectsLocksInNamespaceOfClient() {
		alice("/locks", "creator-all")
			.withBean(CuratorFrameworkCustomizer.class, () -> (builder) -> builder.namespace("shop"))
			.run((context) -> {
				try (LockHandle lock = context.getBean(LockTemplate.class).acquire(ORDERS)) {
					assertThat(lock.isValid()).isTrue();
					assertThat(mallory.getACL().forPath("/shop")).isEqualTo(OPEN);
					assertNoAuth(() -> mallory.getChildren().forPath("/shop/locks"));
					assertNoAuth(() -> mallory.getData().forPath(nodeBelow("/shop/locks/orders")));
				}
			});
	}

	@Test
	void leavesParentsAndOtherNodesOpen() {
		alice("/apps/locks", "creator-all").run((context) -> {
			CuratorFramework client = context.getBean(CuratorFramework.class);
			client.create().forPath("/apps/locks-of-others", NO_DATA);
			assertThat(mallory.getACL().forPath("/apps")).isEqualTo(OPEN);
			assertThat(mallory.getACL().forPath("/apps/locks-of-others")).isEqualTo(OPEN);
		});
	}

	@Test
	void strangerCanNeitherReadNorDeleteUnderCreatorAll() {
		alice("/all", "creator-all").run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire(ORDERS)) {
				String node = nodeBelow("/all/orders");
				assertNoAuth(() -> mallory.getData().forPath(node));
				assertNoAuth(() -> mallory.getChildren().forPath("/all/orders"));
				assertNoAuth(() -> mallory.setData().forPath(node, NO_DATA));
				assertNoAuth(() -> mallory.delete().forPath(node));
				assertNoAuth(() -> mallory.create().forPath("/all/orders/intruder", NO_DATA));
				assertNoAuth(() -> mallory.create().forPath("/all/invoices", NO_DATA));
				assertThat(alice.checkExists().forPath(node)).isNotNull();
				lock.verify();
			}
		});
	}

	@Test
	void strangerCanReadButNotDeleteUnderCreatorReadWorld() {
		alice("/read", "creator-read-world").run((context) -> {
			try (LockHandle lock = context.getBean(LockTemplate.class).acquire(ORDERS)) {
				String node = nodeBelow("/read/orders");
				assertThat(mallory.getChildren().forPath("/read/orders")).hasSize(1);
				assertThat(mallory.getData().forPath(node)).isNotEmpty();
				assertNoAuth(() -> mallory.setData().forPath(node, NO_DATA));
				assertNoAuth(() -> mallory.delete().forPath(node));
				assertNoAuth(() -> mallory.create().forPath("/read/orders/intruder", NO_DATA));
				assertNoAuth(() -> mallory.create().forPath("/read/invoices", NO_DATA));
				assertThat(alice.checkExists().forPath(node)).isNotNull();
				lock.verify();
			}
		});
	}

	@ParameterizedTest
	@EnumSource
	void instancesWithSameCredentialsExcludeEachOther(LockAcl acl) {
		ApplicationContextRunner instance = alice("/fleet-" + acl.ordinal(), acl.name());
		instance.run((first) -> instance.run((second) -> {
			LockHandle lock = first.getBean(LockTemplate.class).acquire(ORDERS);
			CompletableFuture<LockHandle> next = CompletableFuture
				.supplyAsync(() -> second.getBean(LockTemplate.class).acquire(ORDERS));
			await().untilAsserted(
					() -> assertThat(alice.getChildren().forPath("/fleet-" + acl.ordinal() + "/orders")).hasSize(2));
			assertThat(next).isNotDone();
			lock.close();
			try (LockHandle successor = next.join()) {
				assertThat(successor.fencingToken()).isGreaterThan(lock.fencingToken());
			}
		}));
	}

	@Test
	void authenticatedInstancesTakeTheACLOverOneByOne() {
		ApplicationContextRunner old = alice("/rolling", "open");
		ApplicationContextRunner current = alice("/rolling", "creator-all");
		old.run((first) -> current.run((second) -> {
			second.getBean(LockTemplate.class).acquire(LockRequest.exclusive("new")).close();
			try (LockHandle lock = first.getBean(LockTemplate.class).acquire(LockRequest.exclusive("new"))) {
				assertThat(lock.isValid()).isTrue();
				assertThat(second.getBean(LockTemplate.class)
					.tryAcquire(LockRequest.exclusive("new").withWaitTime(Duration.ZERO))).isEmpty();
			}
		}));
	}

	@Test
	void otherCredentialsAreReportedOnStart() {
		alice("/hers", "creator-all")
			.run((context) -> alice("/hers", "creator-all", "interlock.zookeeper.password=wrong")
				.run((other) -> assertThat(other).getFailure()
					.rootCause()
					.isInstanceOf(NoAuthException.class)
					.satisfies((cause) -> assertThat(other.getStartupFailure()).hasStackTraceContaining(
							"does not allow user 'alice' to create and delete lock nodes below '/hers'"))));
	}

	@Test
	void otherCredentialsAreReportedToWhoLocks() {
		alice("/mine", "creator-all").run((context) -> alice("/mine", "creator-all",
				"interlock.zookeeper.password=wrong", "interlock.startup-timeout=0")
			.run((other) -> assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> other.getBean(LockTemplate.class).acquire(ORDERS))
				.withMessageContainingAll("orders", "/mine", "Retrying will not help", "username", "ACL")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "creator-all", "creator-read-world" })
	void needsAuthentication(String acl) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=localhost:1", "interlock.zookeeper.acl=" + acl)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContainingAll("interlock.zookeeper.acl", "interlock.zookeeper.username", "ssl.bundle",
						"SASL"));
	}

	@Test
	void acceptsAuthenticationOfCustomizer() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=localhost:1", "interlock.zookeeper.acl=creator-all")
			.withBean(CuratorFrameworkCustomizer.class,
					() -> (builder) -> builder.authorization("digest", "a:b".getBytes(StandardCharsets.UTF_8)))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void customizerHasTheLastWord() {
		ACLProvider provider = LockAcl.CREATOR_ALL.below("/elsewhere", () -> null);
		alice("/custom", "creator-all")
			.withBean(CuratorFrameworkCustomizer.class, () -> (builder) -> builder.aclProvider(provider))
			.run((context) -> assertThat(mallory.getACL().forPath("/custom")).isEqualTo(OPEN));
	}

	@Test
	void refusesClientOfApplication() {
		CuratorFramework client = CuratorFrameworkFactory.newClient("localhost:1", new RetryOneTime(1));
		alice("/theirs", "creator-all").withBean("mine", CuratorFramework.class, () -> client)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContainingAll("interlock.zookeeper.acl", "[mine]", "ACLProvider"));
	}

	@Test
	void warnsWhenRootPathIsOpen(CapturedOutput output) throws Exception {
		mallory.create().forPath("/before", NO_DATA);
		alice("/before", "creator-all").run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("any client may create and delete lock paths below '/before'")
			.contains("setAcl -R /before auth::cdrwa");
	}

	@Test
	void doesNotWarnWhenRootPathIsProtected(CapturedOutput output) throws Exception {
		ACL readers = new ACL(Perms.READ, new Id("world", "anyone"));
		alice.create().withACL(List.of(new ACL(Perms.ALL, new Id("auth", "")), readers)).forPath("/prepared", NO_DATA);
		alice("/prepared", "creator-all").run((context) -> assertThat(context).hasNotFailed());
		alice("/made", "creator-all").run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("any client may create");
	}

	@Test
	void protectsTheRootPathThatItMakesAnew() {
		alice("/deleted", "creator-all").run((context) -> {
			mallory.delete().forPath("/deleted");
			context.getBean(LockTemplate.class).acquire(ORDERS).close();
			assertNoAuth(() -> mallory.create().forPath("/deleted/planted"));
		});
	}

	private static ApplicationContextRunner alice(String root, String acl, String... properties) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + server.getConnectString(),
					"interlock.startup-timeout=20s", "interlock.zookeeper.username=alice",
					"interlock.zookeeper.password=secret", "interlock.zookeeper.root-path=" + root,
					"interlock.zookeeper.acl=" + acl)
			.withPropertyValues(properties);
	}

	private static String nodeBelow(String path) throws Exception {
		return path + "/" + alice.getChildren().forPath(path).get(0);
	}

	private static void assertNoAuth(Operation operation) {
		assertThatExceptionOfType(NoAuthException.class).isThrownBy(operation::run);
	}

	private static CuratorFramework client(String credentials) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(server.getConnectString())
			.retryPolicy(new RetryOneTime(100))
			.authorization("digest", credentials.getBytes(StandardCharsets.UTF_8))
			.build();
		client.start();
		return client;
	}

	@FunctionalInterface
	private interface Operation {

		void run() throws Exception;

	}

}
