package io.interlock.autoconfigure.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The least-privilege set-up of docs/security.md, and the rotation of its password, step
 * by step on a real server.
 */
@Timeout(120)
class LeastPrivilegeTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders")
		.withKey(42)
		.withWaitTime(Duration.ofSeconds(30));

	private static final int CREATE_DELETE_READ = Perms.CREATE | Perms.DELETE | Perms.READ;

	private TestingServer server;

	private CuratorFramework operator;

	@BeforeEach
	void prepareServer() throws Exception {
		this.server = new TestingServer();
		this.operator = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.retryPolicy(new RetryOneTime(100))
			.authorization(List.of(new AuthInfo("digest", "operator:op".getBytes(StandardCharsets.UTF_8)),
					new AuthInfo("digest", "shop:old".getBytes(StandardCharsets.UTF_8)),
					new AuthInfo("digest", "shop:new".getBytes(StandardCharsets.UTF_8))))
			.build();
		this.operator.start();
		ACL own = new ACL(Perms.ALL, new Id("auth", ""));
		this.operator.create().withACL(List.of(own)).forPath("/interlock");
		this.operator.setACL()
			.withACL(List.of(entry(Perms.ALL, "operator:op"), entry(CREATE_DELETE_READ, "shop:old")))
			.forPath("/interlock");
		this.operator.setACL().withACL(List.of(entry(Perms.ALL, "operator:op"))).forPath("/");
	}

	@AfterEach
	void stopServer() throws Exception {
		this.operator.close();
		this.server.close();
	}

	@Test
	void createDeleteAndReadOnTheRootPathAreEnough() {
		application("old").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			for (LockRequest request : List.of(ORDERS, LockRequest.shared("report"),
					LockRequest.semaphore("printers", 2), ORDERS.withWaitTime(Duration.ZERO))) {
				try (LockHandle held = template.acquire(request)) {
					held.verify();
					assertThat(held.isValid()).isTrue();
				}
			}
			LockHandle held = template.acquire(ORDERS);
			LockInspector inspector = context.getBean(LockInspector.class);
			assertThat(inspector.locks(new LockInspector.Query("orders", "42", 0, 1, 10)).locks()).singleElement()
				.satisfies((lock) -> assertThat(lock.holders()).hasSize(1));
			LockAdministrator administrator = context.getBean(LockAdministrator.class);
			administrator.requestRevocation(ORDERS.id(), held.fencingToken(), null, "'alice'");
			administrator.requestRevocation(ORDERS.id(), held.fencingToken(), null, "'bob'");
			administrator.release(ORDERS.id(), held.fencingToken(), "'alice'");
			held.close();
			CuratorFramework client = context.getBean(CuratorFramework.class);
			assertForbidden(() -> client.create().forPath("/elsewhere"));
			assertForbidden(() -> client.setData().forPath("/interlock", new byte[1]));
			assertForbidden(() -> client.setACL().withACL(List.of(entry(Perms.ALL, "shop:old"))).forPath("/interlock"));
		});
	}

	@Test
	void otherUsersCanNeitherReadNorTakeLocks() {
		application("old").run((context) -> {
			try (LockHandle held = context.getBean(LockTemplate.class).acquire(ORDERS);
					CuratorFramework mallory = CuratorFrameworkFactory.newClient(this.server.getConnectString(),
							new RetryOneTime(100))) {
				mallory.start();
				assertForbidden(() -> mallory.getChildren().forPath("/interlock"));
				assertForbidden(() -> mallory.create().forPath("/interlock/orders:42/x-lock-0000000000"));
				assertThat(held.isValid()).isTrue();
			}
		});
	}

	@Test
	void passwordIsRotatedWithoutLosingALock() {
		application("old").run((before) -> {
			LockHandle first = before.getBean(LockTemplate.class).acquire(ORDERS);
			allow("shop:old", "shop:new");
			application("new", "shop:old").run((both) -> {
				CompletableFuture<LockHandle> second = waiting(both.getBean(LockTemplate.class), 2);
				allow("shop:old", "shop:new");
				application("new").run((after) -> {
					CompletableFuture<LockHandle> third = waiting(after.getBean(LockTemplate.class), 3);
					assertThat(first.isValid()).isTrue();
					first.verify();
					assertThat(second).isNotDone();
					first.close();
					LockHandle next = second.get(20, TimeUnit.SECONDS);
					assertThat(next.fencingToken()).isGreaterThan(first.fencingToken());
					assertThat(third).isNotDone();
					next.close();
					LockHandle last = third.get(20, TimeUnit.SECONDS);
					assertThat(last.fencingToken()).isGreaterThan(next.fencingToken());
					allow("shop:new");
					last.verify();
					last.close();
					after.getBean(LockTemplate.class).acquire(ORDERS).close();
				});
			});
		});
	}

	private CompletableFuture<LockHandle> waiting(LockTemplate template, int contenders) {
		CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(() -> template.acquire(ORDERS),
				(task) -> new Thread(task).start());
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.operator.getChildren().forPath("/interlock/orders:42").size() == contenders);
		return waiting;
	}

	/** What {@code setAcl -R /interlock ...} does. */
	private void allow(String... users) throws Exception {
		allow("/interlock", CREATE_DELETE_READ, users);
	}

	private void allow(String path, int permissions, String... users) throws Exception {
		List<ACL> acl = new ArrayList<>(List.of(entry(Perms.ALL, "operator:op")));
		Arrays.stream(users).forEach((user) -> acl.add(entry(permissions, user)));
		this.operator.setACL().withACL(acl).forPath(path);
		for (String child : this.operator.getChildren().forPath(path)) {
			allow(path + "/" + child, Perms.ALL, users);
		}
	}

	private static ACL entry(int permissions, String credentials) {
		try {
			return new ACL(permissions, new Id("digest", DigestAuthenticationProvider.generateDigest(credentials)));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private ApplicationContextRunner application(String password, String... alsoAs) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class, EndpointAutoConfiguration.class,
					LocksEndpointAutoConfiguration.class))
			.withBean(CuratorFrameworkCustomizer.class, () -> (builder) -> {
				List<AuthInfo> credentials = new ArrayList<>(builder.getAuthInfos());
				for (String other : alsoAs) {
					credentials.add(new AuthInfo("digest", other.getBytes(StandardCharsets.UTF_8)));
				}
				builder.authorization(credentials);
			})
			.withPropertyValues("interlock.zookeeper.connect-string=" + this.server.getConnectString(),
					"interlock.startup-timeout=20s", "interlock.zookeeper.username=shop",
					"interlock.zookeeper.password=" + password, "interlock.zookeeper.acl=creator-all",
					"interlock.admin.enabled=true", "management.endpoints.web.exposure.include=locks",
					"management.endpoints.jmx.exposure.include=locks");
	}

	private static void assertForbidden(Operation operation) {
		assertThatExceptionOfType(NoAuthException.class).isThrownBy(operation::run);
	}

	@FunctionalInterface
	private interface Operation {

		void run() throws Exception;

	}

}
