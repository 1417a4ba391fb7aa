package io.interlock.autoconfigure.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockQuery;
import io.interlock.admin.QueuedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what leaves the JVM: the data of lock nodes, and keys in paths and data.
 */
@ExtendWith({ SharedServer.class, OutputCaptureExtension.class })
class LockDataTests {

	private static final String ROOT = "/lock-data";

	private static final String SECRET = "interlock.key-hash-secret=0123456789abcdef";

	private static final String IBAN = "DE02120300000000202051";

	private static final LockRequest ACCOUNT = LockRequest.exclusive("account").withKey(IBAN);

	private final LocalServer server;

	LockDataTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	@AfterEach
	void deleteLocks() {
		CuratorFramework client = this.server.observer();
		// The server deletes empty paths of locks too, once a minute.
		await().ignoreException(NoNodeException.class).untilAsserted(() -> {
			if (client.checkExists().forPath(ROOT) != null) {
				client.delete().deletingChildrenIfNeeded().forPath(ROOT);
			}
		});
	}

	@Test
	void nodesTellAllByDefault() {
		run((template) -> assertThat(written()).contains(IBAN, "box-office", "\"thread\"", "\"host\"", "\"pid\""));
	}

	@Test
	void minimalDataIsTheInstanceOnly() {
		run((template) -> assertThat(data()).isEqualTo("{\"version\":1,\"instance\":\"shop-1\"}"),
				"interlock.lock-data=minimal");
	}

	@Test
	void noDataIsTheVersionOnly() {
		run((template) -> assertThat(data()).isEqualTo("{\"version\":1}"), "interlock.lock-data=none");
	}

	@ParameterizedTest
	@ValueSource(strings = { "pipelined", "curator" })
	void hashedKeysAreNeitherInPathsNorInData(String recipe) {
		run((template) -> assertThat(written()).contains("/account:~").doesNotContain(IBAN), SECRET,
				"interlock.zookeeper.recipe=" + recipe);
	}

	@Test
	void operatorFindsALockWithAHashedKeyByThatKey() {
		application(SECRET).run((context) -> {
			try (LockHandle held = context.getBean(LockTemplate.class).acquire(ACCOUNT)) {
				LockInspector inspector = context.getBean(LockInspector.class);
				assertThat(inspector.locks(new LockQuery("account", IBAN, 0, 1, 10)).locks()).singleElement()
					.satisfies((lock) -> {
						assertThat(lock.key()).isEqualTo(IBAN);
						assertThat(lock.exact()).isTrue();
						assertThat(lock.holders()).singleElement()
							.satisfies((holder) -> assertThat(holder.token()).isEqualTo(held.fencingToken()));
					});
				assertThat(inspector.locks(new LockQuery("account", null, 0, 10, 10)).locks()).singleElement()
					.extracting(QueuedLock::key)
					.isEqualTo("...");
			}
		});
	}

	@Test
	void instancesWithOneSecretExcludeEachOther() {
		run((template) -> application(SECRET).run(
				(other) -> assertThat(other.getBean(LockTemplate.class).tryAcquire(ACCOUNT.withWaitTime(Duration.ZERO)))
					.isEmpty()),
				SECRET);
	}

	@Test
	void keyOfAnotherNameHasAnotherHash() throws Exception {
		application(SECRET).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle one = template.acquire(ACCOUNT);
					LockHandle other = template.acquire(LockRequest.exclusive("customer").withKey(IBAN))) {
				assertThat(one.isValid()).isTrue();
				assertThat(other.isValid()).isTrue();
				assertThat(this.server.observer().getChildren().forPath(ROOT)).filteredOn((node) -> node.contains(":"))
					.extracting((node) -> node.substring(node.indexOf(':')))
					.hasSize(2)
					.doesNotHaveDuplicates();
			}
		});
	}

	@Test
	void instanceWithAnotherSecretDoesNotStart() {
		run((template) -> application("interlock.key-hash-secret=another secret of mine",
				"interlock.startup-timeout=20s")
			.run((other) -> {
				FailureAnalysis analysis = new ZooKeeperStartupFailureAnalyzer().analyze(other.getStartupFailure());
				assertThat(analysis.getDescription()).contains("with another secret", ROOT)
					.doesNotContain("another secret of mine");
				assertThat(analysis.getAction()).contains("interlock.key-hash-secret", "/.key-hash");
			}), SECRET);
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.key-hash-secret=another secret of mine", "interlock.enabled=true" })
	void instanceThatDisagreesGetsNoLock(String property, CapturedOutput output) {
		run((template) -> application(property).run((other) -> {
			await().untilAsserted(() -> assertThat(output).contains("Other instances hash the keys of locks"));
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> other.getBean(LockTemplate.class).acquire(ACCOUNT))
				.withMessageContaining("interlock.key-hash-secret");
		}), SECRET);
	}

	@Test
	void instanceThatRanBeforeWithoutASecretGetsNoLockAnyMore(CapturedOutput output) {
		application("interlock.startup-timeout=20s").run((before) -> {
			before.getBean(LockTemplate.class).acquire(ACCOUNT).close();
			run((template) -> {
				await().untilAsserted(() -> assertThat(output).contains("Other instances hash the keys of locks"));
				assertThatExceptionOfType(LockServiceUnavailableException.class)
					.isThrownBy(() -> before.getBean(LockTemplate.class).acquire(ACCOUNT));
			}, SECRET);
		});
	}

	@Test
	void shortSecretIsRefusedAndNotShown() {
		application("interlock.key-hash-secret=my-pin-1234").run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("interlock.key-hash-secret")
			.hasMessageContaining("at least 16 characters")
			.hasMessageNotContaining("my-pin-1234"));
	}

	private void run(LockedTest test, String... properties) {
		application(properties).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle held = template.acquire(ACCOUNT)) {
				assertThat(held.isValid()).isTrue();
				test.run(template);
			}
		});
	}

	private ApplicationContextRunner application(String... properties) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					EndpointAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + this.server.connectString(),
					"interlock.zookeeper.root-path=" + ROOT, "interlock.instance-id=shop-1",
					"spring.application.name=box-office", "management.endpoints.web.exposure.include=locks",
					"management.endpoints.jmx.exposure.include=locks")
			.withPropertyValues(properties);
	}

	/** Return all paths and data below the root path, but not the fingerprint. */
	private String written() throws Exception {
		List<String> texts = new ArrayList<>();
		collect(ROOT, texts);
		return String.join("\n", texts);
	}

	private String data() throws Exception {
		return written().lines().filter((line) -> line.startsWith("{")).findFirst().orElseThrow();
	}

	private void collect(String path, List<String> texts) throws Exception {
		texts.add(path);
		texts.add(new String(this.server.observer().getData().forPath(path), StandardCharsets.UTF_8));
		for (String child : this.server.observer().getChildren().forPath(path)) {
			collect(path + "/" + child, texts);
		}
	}

	private interface LockedTest {

		void run(LockTemplate template) throws Exception;

	}

}
