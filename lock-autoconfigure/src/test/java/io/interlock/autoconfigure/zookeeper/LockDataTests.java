package io.interlock.autoconfigure.zookeeper;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what leaves the JVM: the data of lock nodes, and keys in paths and data.
 */
@ExtendWith(SharedServer.class)
class LockDataTests {

	private static final String ROOT = "/lock-data";

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
				"interlock.zookeeper.lock-data=minimal");
	}

	@Test
	void noDataIsTheVersionOnly() {
		run((template) -> assertThat(data()).isEqualTo("{\"version\":1}"), "interlock.zookeeper.lock-data=none");
	}

	@Test
	void keyThatItsExpressionHashesIsNeitherInPathsNorInData() {
		List<String> written = new ArrayList<>();
		application("shop.key-secret=0123456789abcdef")
			.withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class))
			.withBean("accountKeys", AccountKeys.class)
			.withBean(Accounts.class)
			.withBean(Ledger.class, () -> (iban) -> collect(ROOT, written))
			.run((context) -> {
				context.getBean(Accounts.class).post(IBAN);
				assertThat(String.join("\n", written)).contains("/account:", "\"key\"")
					.contains(context.getBean(AccountKeys.class).of(IBAN))
					.doesNotContain(IBAN);
			});
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
					ZooKeeperLockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + this.server.connectString(),
					"interlock.zookeeper.root-path=" + ROOT, "interlock.instance-id=shop-1",
					"spring.application.name=box-office")
			.withPropertyValues(properties);
	}

	/** Return all paths and data below the root path. */
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

	@Component
	static class AccountKeys {

		private final SecretKeySpec secret;

		AccountKeys(@Value("${shop.key-secret}") String secret) {
			this.secret = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
		}

		public String of(String iban) throws GeneralSecurityException {
			Mac mac = Mac.getInstance("HmacSHA256");
			mac.init(this.secret);
			return HexFormat.of().formatHex(mac.doFinal(iban.getBytes(StandardCharsets.UTF_8)));
		}

	}

	static class Accounts {

		private final Ledger ledger;

		Accounts(Ledger ledger) {
			this.ledger = ledger;
		}

		@DistributedLock(name = "account", key = "@accountKeys.of(#iban)")
		public void post(String iban) throws Exception {
			this.ledger.post(iban);
		}

	}

	interface Ledger {

		void post(String iban) throws Exception;

	}

}
