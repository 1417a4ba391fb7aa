package io.interlock.autoconfigure.zookeeper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks of clients that authenticate themselves by SASL, against a server in a JVM of its
 * own that serves nobody else.
 */
class SaslConnectionTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(15));

	private static Server server;

	@BeforeAll
	static void startServer(@TempDir Path directory) throws Exception {
		Path jaas = Files.writeString(directory.resolve("jaas.conf"), """
				Server {
				  %s required user_shop="secret" user_other="secret";
				};
				""".formatted(DigestLoginModule.class.getName()));
		server = Server.standalone(directory.resolve("server"),
				ServerSettings.quick()
					.with(Map.of("authProvider.sasl", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
							"enforce.auth.enabled", "true", "enforce.auth.schemes", "sasl"))
					.withJvmOptions("-Djava.security.auth.login.config=" + jaas));
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@AfterEach
	void resetLogin() {
		Configuration.setConfiguration(null);
	}

	@Test
	void locks() {
		login("shop", "secret");
		client("/plain", "open").run((context) -> assertLocks(context.getBean(LockTemplate.class)));
	}

	@Test
	void userOwnsLockNodes() {
		login("shop", "secret");
		client("/shop", "creator-all", "interlock.startup-timeout=30s").run((context) -> {
			assertLocks(context.getBean(LockTemplate.class));
			assertThat(context.getBean(CuratorFramework.class).getACL().forPath("/shop/orders")).extracting(ACL::getId)
				.containsExactly(new Id("sasl", "shop"));
		});
	}

	@Test
	void locksAgainInNextSession() {
		login("shop", "secret");
		client("/next", "creator-all").run((context) -> {
			LockTemplate locks = context.getBean(LockTemplate.class);
			assertLocks(locks);
			context.getBean(CuratorFramework.class)
				.getZookeeperClient()
				.getZooKeeper()
				.getTestable()
				.injectSessionExpiration();
			assertLocks(locks);
		});
	}

	@Test
	void otherUserMayNotUseLocks() {
		login("shop", "secret");
		client("/hers", "creator-all").run((context) -> {
			assertLocks(context.getBean(LockTemplate.class));
			login("other", "secret");
			client("/hers", "creator-all")
				.run((other) -> assertThatExceptionOfType(LockServiceUnavailableException.class)
					.isThrownBy(() -> other.getBean(LockTemplate.class).acquire(ORDERS))
					.withMessageContaining("Retrying will not help"));
		});
	}

	@Test
	void wrongPasswordIsNoContention() {
		login("shop", "wrong");
		client("/wrong", "open").run((context) -> assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> context.getBean(LockTemplate.class)
				.acquire(LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(2)))));
	}

	@Test
	void serverThatDemandsLoginIsNotUsableWithoutOne() {
		client("/nobody", "open").run((context) -> assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> context.getBean(LockTemplate.class)
				.acquire(LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(2)))));
	}

	private static ApplicationContextRunner client(String root, String acl, String... properties) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + server.connectString(),
					"interlock.zookeeper.root-path=" + root, "interlock.zookeeper.acl=" + acl)
			.withPropertyValues(properties)
			.withBean(CuratorFrameworkCustomizer.class, () -> SaslConnectionTests::permitDigest);
	}

	/**
	 * In FIPS mode, its default, the client does not use the DIGEST-MD5 of this login.
	 */
	private static void permitDigest(CuratorFrameworkFactory.Builder builder) {
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty("zookeeper.fips-mode", "false");
		builder.zkClientConfig(config);
	}

	private static void assertLocks(LockTemplate locks) {
		try (LockHandle lock = locks.acquire(ORDERS)) {
			lock.verify();
			assertThat(lock.isValid()).isTrue();
		}
	}

	/**
	 * What a {@code Client} section in a JAAS configuration file says.
	 */
	private static void login(String user, String password) {
		AppConfigurationEntry entry = new AppConfigurationEntry(DigestLoginModule.class.getName(),
				LoginModuleControlFlag.REQUIRED, Map.of("username", user, "password", password));
		Configuration.setConfiguration(new Configuration() {

			@Override
			public AppConfigurationEntry @Nullable [] getAppConfigurationEntry(String name) {
				return name.equals("Client") ? new AppConfigurationEntry[] { entry } : null;
			}

		});
	}

}
