package io.interlock.autoconfigure.zookeeper;

import java.util.List;

import io.interlock.zookeeper.internal.client.ZooKeeperStartupException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the start-up says of a connection that leaves locks to an attacker. The
 * addresses are of the range for documentation, where nothing answers.
 */
@ExtendWith(OutputCaptureExtension.class)
class InsecureConnectionTests {

	private static final String REMOTE = "interlock.zookeeper.connect-string=192.0.2.1:2181,localhost:2181";

	private static final String[] DIGEST = { "interlock.zookeeper.acl=creator-all", "interlock.zookeeper.username=shop",
			"interlock.zookeeper.password=secret" };

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class));

	@Test
	void openLocksAreOneWarning(CapturedOutput output) {
		this.contextRunner.withPropertyValues(REMOTE).run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("192.0.2.1:2181", "interlock.zookeeper.acl is open", "delete the node of a holder",
					"blocks a lock for every instance", "interlock.zookeeper.acl=creator-all",
					"interlock.zookeeper.username");
	}

	@Test
	void passwordInClearTextIsOneWarning(CapturedOutput output) {
		this.contextRunner.withPropertyValues(REMOTE)
			.withPropertyValues(DIGEST)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("without TLS", "reads the password", "interlock.zookeeper.ssl.bundle",
					"interlock.zookeeper.connect-string")
			.doesNotContain("secret");
	}

	@Test
	void openLocksAndPasswordInClearTextAreTwoWarnings(CapturedOutput output) {
		this.contextRunner.withPropertyValues(REMOTE, DIGEST[1], DIGEST[2])
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:2181", "127.0.0.1", "LOCALHOST:1,127.1.2.3:2/apps", "[::1]:2181",
			"[0:0:0:0:0:0:0:1]:2181", "zoo.localhost:2181" })
	void loopbackIsNoWarning(String connectString, CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.connect-string=" + connectString, DIGEST[1], DIGEST[2])
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost.example.test:2181", "127.0.0.1.example.test:2181", "10.0.0.1:2181",
			"[2001:db8::1]:2181", "0.0.0.0:2181" })
	void addressThatOnlyLooksLikeLoopbackIsAWarning(String connectString, CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.zookeeper.connect-string=" + connectString)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).hasSize(1);
	}

	@Test
	void clientOfTheApplicationWithItsOwnAclIsNoWarning(CapturedOutput output) {
		this.contextRunner.withPropertyValues(REMOTE)
			.withBean(CuratorFrameworkCustomizer.class, () -> (builder) -> builder.aclProvider(new OwnAcl()))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void tlsOfACustomizerCounts(CapturedOutput output) {
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
		this.contextRunner.withPropertyValues(REMOTE)
			.withPropertyValues(DIGEST)
			.withBean(CuratorFrameworkCustomizer.class, () -> (builder) -> builder.zkClientConfig(config))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void requireSecureRefusesOpenLocks(CapturedOutput output) {
		this.contextRunner.withPropertyValues(REMOTE, "interlock.zookeeper.require-secure=true").run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new CuratorAutoConfiguration.StartupFailureAnalyzer()
				.analyze(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains("interlock.zookeeper.require-secure",
					"delete the node of a holder");
			assertThat(analysis.getAction()).contains("interlock.zookeeper.acl=creator-all");
		});
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void requireSecureRefusesAPasswordInClearText() {
		this.contextRunner.withPropertyValues(REMOTE, "interlock.zookeeper.require-secure=true")
			.withPropertyValues(DIGEST)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(ZooKeeperStartupException.class)
				.hasMessageContaining("reads the password"));
	}

	@Test
	void requireSecureRefusesBothAtOnce() {
		this.contextRunner.withPropertyValues(REMOTE, "interlock.zookeeper.require-secure=true", DIGEST[1], DIGEST[2])
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("delete the node of a holder")
				.hasMessageContaining("reads the password"));
	}

	@Test
	void requireSecureLetsLoopbackStart() {
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.connect-string=localhost:1",
					"interlock.zookeeper.require-secure=true")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void requireSecureCannotLookIntoAClientOfTheApplication() {
		CuratorFramework client = CuratorFrameworkFactory.newClient("192.0.2.1:2181", new RetryOneTime(1));
		this.contextRunner.withBean("mine", CuratorFramework.class, () -> client)
			.withPropertyValues("interlock.zookeeper.require-secure=true")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("interlock.zookeeper.require-secure")
				.hasMessageContaining("[mine]"));
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString()
			.lines()
			.filter((line) -> line.contains("WARN") && line.contains("OwnClient - With ZooKeeper at "))
			.toList();
	}

	private static final class OwnAcl implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			return List.of(new ACL(Perms.ALL, new Id("auth", "")));
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return List.of(new ACL(Perms.ALL, new Id("auth", "")));
		}

	}

}
