package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.template.LockTemplate;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.client.StartupCheck;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockSettings;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.system.ApplicationPid;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link InterlockAutoConfiguration}. Nothing listens where its clients connect
 * to.
 */
class InterlockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class))
		.withBean("first", CuratorFramework.class, InterlockAutoConfigurationTests::client);

	private final ApplicationContextRunner withoutClient = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class));

	@Test
	void suppliesTemplateAndProvider() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class)
			.hasSingleBean(LockOperations.class)
			.hasSingleBean(ZooKeeperLockProvider.class)
			.hasSingleBean(HeldLocks.class)
			.hasSingleBean(StartupCheck.class));
	}

	@Test
	void keepsInjectableBeansWhenDisabled() {
		this.contextRunner.withPropertyValues("interlock.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class)
				.hasSingleBean(LockOperations.class)
				.hasSingleBean(HeldLocks.class)
				.doesNotHaveBean(ZooKeeperLockProvider.class)
				.doesNotHaveBean(StartupCheck.class));
	}

	@Test
	void usesOperationsOfApplication() {
		LockOperations operations = mock(LockOperations.class);
		this.contextRunner.withBean("mine", LockOperations.class, () -> operations)
			.run((context) -> assertThat(context).getBean(LockOperations.class).isSameAs(operations));
	}

	@Test
	void usesProviderOfApplicationWithoutClient() {
		LockProvider provider = mock(LockProvider.class);
		this.withoutClient.withBean("mine", LockProvider.class, () -> provider).run((context) -> {
			assertThat(context.getBeanProvider(LockProvider.class).getObject()).isSameAs(provider);
			assertThat(context).hasSingleBean(LockTemplate.class).doesNotHaveBean(StartupCheck.class);
		});
	}

	@Test
	void queueStandsInFrontOfTheProviderAndIsNotInjectedInItsPlace() {
		this.contextRunner.withUserConfiguration(ProviderUser.class).run((context) -> {
			assertThat(context).hasSingleBean(QueueingLockProvider.class);
			assertThat(context.getBean(ProviderUser.class).provider).isInstanceOf(ZooKeeperLockProvider.class);
		});
	}

	@Test
	void providerOfApplicationIsQueuedForToo() {
		ScriptedLockProvider provider = new ScriptedLockProvider();
		this.withoutClient.withBean("mine", LockProvider.class, () -> provider).run((context) -> {
			QueueingLockProvider queue = context.getBean(QueueingLockProvider.class);
			try (LockHandle held = context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("orders"))) {
				assertThat(queue.queues()).singleElement()
					.satisfies((each) -> assertThat(each.token()).isEqualTo(held.fencingToken()));
			}
			assertThat(queue.queues()).isEmpty();
			assertThat(provider.openGrants()).isZero();
		});
	}

	@Test
	void passesSettingsToQueue() {
		this.contextRunner
			.withPropertyValues("interlock.queue.enabled=false", "interlock.queue.max-tenure=20ms",
					"interlock.queue.max-waiting=9", "interlock.locks.orders.queue-enabled=true",
					"interlock.locks.stock.wait-time=1s")
			.run((context) -> assertThat(context).getBean(QueueingLockProvider.class)
				.extracting("settings")
				.isEqualTo(
						new QueueSettings(false, Map.of("orders", true), Duration.ofMillis(20), Integer.MAX_VALUE, 9)));
	}

	@Test
	void queueHasTheDefaultsOfItsSettings() {
		this.contextRunner.run((context) -> assertThat(context).getBean(QueueingLockProvider.class)
			.extracting("settings")
			.isEqualTo(QueueSettings.defaults()));
	}

	@Test
	void usesHeldLocksOfApplication() {
		HeldLocks heldLocks = new HeldLocks();
		this.contextRunner.withBean("mine", HeldLocks.class, () -> heldLocks)
			.run((context) -> assertThat(context).getBean(HeldLocks.class).isSameAs(heldLocks));
	}

	@Test
	void failsWithSeveralClients() {
		this.contextRunner.withBean("another", CuratorFramework.class, InterlockAutoConfigurationTests::client)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueBeanDefinitionException.class)
				.hasMessageContaining("first,another"));
	}

	@Test
	void usesPrimaryOfSeveralClients() {
		this.contextRunner.withUserConfiguration(PrimaryClient.class)
			.run((context) -> assertThat(context).hasSingleBean(LockTemplate.class));
	}

	@Test
	void passesSettingsToProvider() {
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.root-path=/apps/locks", "interlock.instance-id=box-office-1",
					"interlock.verify-timeout=3s", "interlock.zookeeper.recipe=curator",
					"interlock.zookeeper.locks[a.b].peers=read-write",
					"interlock.zookeeper.locks.stock.keep-parent=true", "interlock.when-unavailable=fail-fast")
			.run((context) -> assertThat(context.getBean(ZooKeeperLockProvider.class)).extracting("settings")
				.usingRecursiveComparison()
				.ignoringFields("details")
				.isEqualTo(new ZooKeeperLockSettings("/apps/locks", "box-office-1", Duration.ofSeconds(3),
						Recipe.CURATOR, Map.of("a.b", Peers.READ_WRITE, "stock", Peers.MUTEX), Set.of("stock"), true,
						OwnerRecord.Details.NONE, OwnerRecord.LockData.FULL)));
	}

	@Test
	void passesReleaseTimeoutToTemplate() {
		this.contextRunner.withPropertyValues("interlock.release-timeout=2s")
			.run((context) -> assertThat(context.getBean(LockTemplate.class))
				.extracting("parts.settings.releaseTimeout")
				.isEqualTo(Duration.ofSeconds(2)));
	}

	@Test
	void instanceIdNamesApplicationHostAndProcess() {
		this.contextRunner.withPropertyValues("spring.application.name=box-office")
			.run((context) -> assertThat(instanceId(context)).matches("box-office@[^@]+:" + new ApplicationPid()));
	}

	@Test
	void passesToProviderWhereTheInstanceRuns() {
		this.contextRunner
			.withPropertyValues("spring.application.name=box-office", "interlock.instance-id=box-office-1")
			.run((context) -> assertThat(context.getBean(ZooKeeperLockProvider.class)).extracting("settings.details")
				.asInstanceOf(type(OwnerRecord.Details.class))
				.satisfies((details) -> {
					assertThat(details.application()).isEqualTo("box-office");
					assertThat(details.host()).isNotBlank();
					assertThat(details.pid()).isEqualTo(ProcessHandle.current().pid());
				}));
	}

	@Test
	void instanceIdOfApplicationWithoutName() {
		this.contextRunner.run((context) -> assertThat(instanceId(context)).startsWith("application@"));
	}

	private static String instanceId(ApplicationContext context) {
		ZooKeeperLockSettings settings = (ZooKeeperLockSettings) new DirectFieldAccessor(
				context.getBean(ZooKeeperLockProvider.class))
			.getPropertyValue("settings");
		return Objects.requireNonNull(settings).instanceId();
	}

	private static CuratorFramework client() {
		CuratorFramework client = CuratorFrameworkFactory.newClient("localhost:1", new RetryOneTime(1));
		client.start();
		return client;
	}

	@Configuration(proxyBeanMethods = false)
	static class ProviderUser {

		private final LockProvider provider;

		ProviderUser(LockProvider provider) {
			this.provider = provider;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryClient {

		@Bean
		@Primary
		CuratorFramework primary() {
			return client();
		}

	}

}
