package io.interlock.autoconfigure.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.zookeeper.internal.client.OwnClient;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CuratorAutoConfiguration}. Nothing listens where its clients connect
 * to.
 */
@ExtendWith(OutputCaptureExtension.class)
class CuratorAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("interlock.zookeeper.connect-string=localhost:1")
		.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class));

	@Test
	void suppliesStartedClientWithoutWaitingForServer(CapturedOutput output) {
		long start = System.nanoTime();
		this.contextRunner.run((context) -> {
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(14));
			assertThat(context.getBean(CuratorFramework.class).getState()).isEqualTo(CuratorFrameworkState.STARTED);
			assertThat(context.getBean(RetryPolicy.class)).isInstanceOf(BoundedExponentialBackoffRetry.class);
			assertThat(context.getBean(ZooKeeperConnectionDetails.class))
				.isInstanceOf(ZooKeeperProperties.ConnectionDetails.class);
		});
		assertThat(output).containsOnlyOnce("Locks use their own ZooKeeper client, connecting to 'localhost:1'");
	}

	@Test
	void closesClientWithContext() {
		List<CuratorFramework> clients = new ArrayList<>();
		this.contextRunner.run((context) -> clients.add(context.getBean(CuratorFramework.class)));
		assertThat(clients).singleElement()
			.extracting(CuratorFramework::getState)
			.isEqualTo(CuratorFrameworkState.STOPPED);
	}

	@Test
	void configuresClientFromDefaults() {
		this.contextRunner.withUserConfiguration(BuilderCaptor.class).run((context) -> {
			CuratorFrameworkFactory.Builder builder = context.getBean(BuilderCaptor.class).builder;
			assertThat(builder.getSessionTimeoutMs()).isEqualTo(30000);
			assertThat(builder.getConnectionTimeoutMs()).isEqualTo(15000);
			assertThat(builder.getSimulatedSessionExpirationPercent()).isEqualTo(100);
			assertThat(context.getBean(BuilderCaptor.class).followsEnsemble).isTrue();
			assertThat(builder.getAuthInfos()).isNull();
			assertThat(builder.getRetryPolicy()).isInstanceOf(BoundedExponentialBackoffRetry.class);
			assertThat(builder.getRunSafeService()).isNotNull();
		});
	}

	@Test
	void connectionTimeoutIsNotLongerThanAShortSession() {
		this.contextRunner.withUserConfiguration(BuilderCaptor.class)
			.withPropertyValues("interlock.zookeeper.session-timeout=6s")
			.run((context) -> assertThat(context.getBean(BuilderCaptor.class).builder.getConnectionTimeoutMs())
				.as("Curator warns of more")
				.isEqualTo(6000));
	}

	@Test
	void configuresClientFromProperties() {
		this.contextRunner.withUserConfiguration(BuilderCaptor.class)
			.withPropertyValues("interlock.zookeeper.session-timeout=12s", "interlock.zookeeper.connection-timeout=3s",
					"interlock.zookeeper.ensemble-tracker=false", "interlock.zookeeper.username=ticket",
					"interlock.zookeeper.password=s:cret")
			.run((context) -> {
				CuratorFrameworkFactory.Builder builder = context.getBean(BuilderCaptor.class).builder;
				assertThat(builder.getSessionTimeoutMs()).isEqualTo(12000);
				assertThat(builder.getConnectionTimeoutMs()).isEqualTo(3000);
				assertThat(context.getBean(BuilderCaptor.class).followsEnsemble).isFalse();
				assertThat(builder.getAuthInfos()).singleElement().satisfies((auth) -> {
					assertThat(auth.getScheme()).isEqualTo("digest");
					assertThat(new String(auth.getAuth(), StandardCharsets.UTF_8)).isEqualTo("ticket:s:cret");
				});
				BoundedExponentialBackoffRetry policy = context.getBean(BoundedExponentialBackoffRetry.class);
				assertThat(policy.getBaseSleepTimeMs()).isEqualTo(100);
				assertThat(policy.getMaxSleepTimeMs()).isEqualTo(2000);
				assertThat(policy.getN()).isEqualTo(3);
			});
	}

	@Test
	void appliesCustomizersInOrder() {
		this.contextRunner.withUserConfiguration(TwoCustomizers.class)
			.run((context) -> assertThat(context.getBean(CuratorFramework.class).getNamespace()).isEqualTo("second"));
	}

	@Test
	void usesConnectionDetailsOfApplication() {
		this.contextRunner.withBean(ZooKeeperConnectionDetails.class, () -> () -> "localhost:2/apps").run((context) -> {
			assertThat(context).hasSingleBean(ZooKeeperConnectionDetails.class);
			assertThat(context.getBean(CuratorFramework.class).getZookeeperClient().getCurrentConnectionString())
				.isEqualTo("localhost:2/apps");
		});
	}

	@Test
	void usesRetryPolicyOfApplication() {
		RetryPolicy policy = new RetryOneTime(1);
		this.contextRunner.withBean("custom", RetryPolicy.class, () -> policy)
			.withUserConfiguration(BuilderCaptor.class)
			.run((context) -> {
				assertThat(context).getBean(RetryPolicy.class).isSameAs(policy);
				assertThat(context.getBean(BuilderCaptor.class).builder.getRetryPolicy()).isSameAs(policy);
			});
	}

	@Test
	void backsOffTogetherWhenApplicationHasClient(CapturedOutput output) {
		CuratorFramework client = CuratorFrameworkFactory.newClient("localhost:2", new RetryOneTime(1));
		this.contextRunner.withBean("mine", CuratorFramework.class, () -> client).run((context) -> {
			assertThat(context).getBean(CuratorFramework.class).isSameAs(client);
			assertThat(context).doesNotHaveBean(RetryPolicy.class);
			assertThat(context).doesNotHaveBean(ZooKeeperConnectionDetails.class);
			assertThat(context).doesNotHaveBean(OwnClient.class);
		});
		assertThat(output).containsOnlyOnce("Locks use the application's ZooKeeper client [mine]")
			.doesNotContain("their own ZooKeeper client");
	}

	@Test
	void backsOffWhenDisabled() {
		this.contextRunner.withPropertyValues("interlock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(CuratorFramework.class));
	}

	@Test
	void backsOffWithoutCurator() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(CuratorFramework.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ZooKeeperConnectionDetails.class));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "connect-string | ''", "connect-string | /apps", "connect-string | host:port",
					"connect-string | host:1/a//b", "session-timeout | 0s", "connection-timeout | -1s",
					"session-timeout | 30d", "username | only", "embedded.port | 70000", "embedded.port | -1" })
	void namesPropertyWithImpossibleValue(String property, String value) {
		this.contextRunner.withPropertyValues("interlock.zookeeper." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("interlock.zookeeper." + property));
	}

	@Test
	void refusesColonInUsername() {
		this.contextRunner.withPropertyValues("interlock.zookeeper.username=a:b", "interlock.zookeeper.password=secret")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("interlock.zookeeper.username")
				.hasMessageContaining("must not contain a colon")
				.hasMessageNotContaining("secret"));
	}

	@Test
	void connectsWithoutTlsByDefault() {
		this.contextRunner.withUserConfiguration(BuilderCaptor.class).run((context) -> {
			assertThat(context.getBean(ZooKeeperConnectionDetails.class).sslBundle()).isNull();
			assertThat(context.getBean(BuilderCaptor.class).builder.getZkClientConfig()
				.getBoolean(ZKClientConfig.SECURE_CLIENT)).isFalse();
		});
	}

	@Test
	void connectsWithTlsWhenThereIsBundle(CapturedOutput output) {
		this.contextRunner.withBean(DefaultSslBundleRegistry.class, CuratorAutoConfigurationTests::bundles)
			.withUserConfiguration(BuilderCaptor.class)
			.withPropertyValues("interlock.zookeeper.ssl.bundle=zk")
			.run((context) -> {
				CuratorFrameworkFactory.Builder builder = context.getBean(BuilderCaptor.class).builder;
				assertThat(builder.getZkClientConfig().getBoolean(ZKClientConfig.SECURE_CLIENT)).isTrue();
				assertThat(context.getBean(BuilderCaptor.class).followsEnsemble)
					.as("ensembles tell the ports of clients without TLS")
					.isFalse();
			});
		assertThat(output).contains("connecting to 'localhost:1' with TLS");
	}

	@Test
	void trustsWhatJavaTrustsWithoutBundle() {
		this.contextRunner.withPropertyValues("interlock.zookeeper.ssl.enabled=true")
			.run((context) -> assertThat(context.getBean(ZooKeeperConnectionDetails.class).sslBundle().getStores())
				.isSameAs(SslBundle.systemDefault().getStores()));
	}

	@Test
	void bundleCanBeSwitchedOff() {
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.ssl.bundle=zk", "interlock.zookeeper.ssl.enabled=false")
			.run((context) -> assertThat(context.getBean(ZooKeeperConnectionDetails.class).sslBundle()).isNull());
	}

	@Test
	void usesBundleOfConnectionDetailsOfApplication() {
		ZooKeeperConnectionDetails details = new ZooKeeperConnectionDetails() {

			@Override
			public String connectString() {
				return "localhost:2";
			}

			@Override
			public SslBundle sslBundle() {
				return SslBundle.systemDefault();
			}

		};
		this.contextRunner.withBean(ZooKeeperConnectionDetails.class, () -> details)
			.withUserConfiguration(BuilderCaptor.class)
			.run((context) -> assertThat(context.getBean(BuilderCaptor.class).builder.getZkClientConfig()).isNotNull());
	}

	@Test
	void namesBundleThatDoesNotExist() {
		this.contextRunner.withBean(DefaultSslBundleRegistry.class, CuratorAutoConfigurationTests::bundles)
			.withPropertyValues("interlock.zookeeper.ssl.bundle=other")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("interlock.zookeeper.ssl.bundle")
				.hasStackTraceContaining("There is no such SSL bundle, only [zk]")
				.hasStackTraceContaining("spring.ssl.bundle.pem.other"));
	}

	@Test
	void saysThatThereAreNoBundles() {
		this.contextRunner.withPropertyValues("interlock.zookeeper.ssl.bundle=zk")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("interlock.zookeeper.ssl.bundle")
				.hasStackTraceContaining("There are no SSL bundles in this application"));
	}

	@Test
	void leavesNoFilesWhenClientCannotBeBuilt() {
		List<Path> stores = new ArrayList<>();
		this.contextRunner.withBean(DefaultSslBundleRegistry.class, CuratorAutoConfigurationTests::bundles)
			.withPropertyValues("interlock.zookeeper.ssl.bundle=zk")
			.withBean(CuratorFrameworkCustomizer.class, () -> (builder) -> {
				stores.add(Path.of(builder.getZkClientConfig().getProperty("zookeeper.ssl.trustStore.location")));
				assertThat(stores.get(0)).exists();
				throw new IllegalStateException("No");
			})
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(stores).singleElement().satisfies((file) -> assertThat(file.getParent()).doesNotExist());
			});
	}

	private static DefaultSslBundleRegistry bundles() {
		try {
			KeyStore trusted = KeyStore.getInstance("PKCS12");
			trusted.load(null, null);
			return new DefaultSslBundleRegistry("zk", SslBundle.of(SslStoreBundle.of(null, null, trusted)));
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void registersRuntimeHints() {
		RuntimeHints hints = new RuntimeHints();
		new OwnClient.Hints().registerHints(hints, getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.reflection().onType(AddWatchMode.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(ClientCnxnSocketNIO.class.getDeclaredConstructors()[0])).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(ClientCnxnSocketNetty.class.getDeclaredConstructors()[0])).accepts(hints);
	}

	@Configuration(proxyBeanMethods = false)
	static class BuilderCaptor implements CuratorFrameworkCustomizer {

		private CuratorFrameworkFactory.Builder builder;

		private boolean followsEnsemble;

		@Override
		public void customize(CuratorFrameworkFactory.Builder builder) {
			this.builder = builder;
			this.followsEnsemble = builder.withEnsembleTracker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoCustomizers {

		@Bean
		@Order(2)
		CuratorFrameworkCustomizer second() {
			return (builder) -> {
				assertThat(builder.getNamespace()).isEqualTo("first");
				builder.namespace("second");
			};
		}

		@Bean
		@Order(1)
		CuratorFrameworkCustomizer first() {
			return (builder) -> builder.namespace("first");
		}

	}

}
