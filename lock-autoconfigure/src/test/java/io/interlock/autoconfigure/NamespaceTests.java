package io.interlock.autoconfigure;

import java.util.List;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockInspector.QueuedLock;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@code interlock.namespace} on ZooKeeper.
 */
@ExtendWith(OutputCaptureExtension.class)
class NamespaceTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withKey(42);

	private TestingServer server;

	@BeforeEach
	void start() throws Exception {
		this.server = new TestingServer();
	}

	@AfterEach
	void stop() throws Exception {
		this.server.close();
	}

	@Test
	void namesOfTwoApplicationsAreTwoLocks(CapturedOutput output) {
		runner("").run((plain) -> runner("shop").run((shop) -> {
			assertThat(output).containsOnlyOnce("(nodes below /interlock/.namespaces/shop), which is ready")
				.containsOnlyOnce("(nodes below /interlock), which is ready");
			CuratorFramework client = plain.getBean(CuratorFramework.class);
			try (LockHandle first = plain.getBean(LockTemplate.class).acquire(ORDERS)) {
				Optional<LockHandle> second = shop.getBean(LockTemplate.class).tryAcquire(ORDERS);
				assertThat(second).isPresent();
				assertThat(second.get().id()).isEqualTo(first.id()).hasToString("orders[42]");
				assertThat(client.getChildren().forPath("/interlock/orders:42")).hasSize(1);
				assertThat(client.getChildren().forPath("/interlock/.namespaces/shop/orders:42")).hasSize(1);
				second.get().close();
			}
		}));
	}

	@Test
	void oneNamespaceIsOneLock() {
		runner("shop").run((one) -> runner("shop").run((other) -> {
			try (LockHandle held = one.getBean(LockTemplate.class).acquire(ORDERS)) {
				assertThat(held.isValid()).isTrue();
				assertThat(other.getBean(LockTemplate.class).tryAcquire(ORDERS)).isEmpty();
			}
		}));
	}

	@Test
	void operatorsSeeAndFreeTheLocksOfTheirNamespace() {
		runner("").run((plain) -> runner("shop").run((shop) -> {
			LockHandle first = plain.getBean(LockTemplate.class).acquire(ORDERS);
			LockHandle second = shop.getBean(LockTemplate.class).acquire(ORDERS);
			LockHandle stock = shop.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock"));
			assertThat(names(plain.getBean(LockInspector.class))).containsExactly("orders");
			assertThat(names(shop.getBean(LockInspector.class))).containsExactly("orders", "stock");
			LockAdministrator administrator = shop.getBean(LockAdministrator.class);
			assertThat(administrator.release(new LockId("orders", "42"), second.fencingToken(), "ann").path())
				.startsWith("/interlock/.namespaces/shop/orders:42/");
			first.verify();
			stock.close();
			second.close();
			first.close();
		}));
	}

	@Test
	void applicationsThatShareANameAreWarnedOf(CapturedOutput output) {
		runner("", "spring.application.name=shop")
			.run((shop) -> runner("", "spring.application.name=billing").run((billing) -> {
				try (LockHandle held = shop.getBean(LockTemplate.class).acquire(ORDERS)) {
					assertThat(billing.getBean(LockTemplate.class).tryAcquire(ORDERS)).isEmpty();
					assertThat(held.isValid()).isTrue();
					await().until(() -> output.getAll().contains("The application 'shop' takes the lock 'orders' too"));
				}
			}));
	}

	private static List<String> names(LockInspector inspector) {
		return inspector.locks(new LockInspector.Query(null, null, true, 0, 100, 100))
			.locks()
			.stream()
			.map(QueuedLock::name)
			.toList();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b", "a:b", "a b", ".", "{a}", "ä",
			"0123456789012345678901234567890123456789012345678901234567890123x" })
	void namespaceThatAStoreCannotHaveIsRefused(String namespace) {
		runner(namespace).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("interlock.namespace")
			.hasMessageContaining("letters, digits, hyphens and underscores"));
	}

	private ApplicationContextRunner runner(String namespace, String... properties) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + this.server.getConnectString(),
					"interlock.namespace=" + namespace, "interlock.admin.enabled=true", "interlock.startup-timeout=10s",
					"management.endpoints.web.exposure.include=locks")
			.withPropertyValues(properties);
	}

}
