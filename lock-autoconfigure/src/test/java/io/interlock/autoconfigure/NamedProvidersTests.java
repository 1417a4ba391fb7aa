package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.admin.LockContender;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.EmbeddedZooKeeperAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.health.ZooKeeperHealthIndicator;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.lease.LeaseStoreSnapshot.State;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.metrics.LockStoreMetrics;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for several providers in one application.
 */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("try")
class NamedProvidersTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ZERO);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(EmbeddedZooKeeperAutoConfiguration.class,
				CuratorAutoConfiguration.class, InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LocksEndpointAutoConfiguration.class, LockHealthContributorAutoConfiguration.class));

	private final ApplicationContextRunner inMemory = this.contextRunner
		.withPropertyValues("interlock.provider=memory");

	@Test
	void annotationsNameAProviderOfTheProperties() {
		this.inMemory
			.withPropertyValues("interlock.providers.billing.provider=memory", "store.of.invoices=billing",
					"interlock.providers.audit.provider=memory")
			.withBean(Office.class)
			.run((context) -> {
				Office office = context.getBean(Office.class);
				assertThat(office.exclusive()).isEqualTo("billing");
				assertThat(office.write()).isEqualTo("billing");
				assertThat(office.read()).isEqualTo("audit");
				assertThat(context.getBeanProvider(LockProvider.class).getObject())
					.isSameAs(context.getBean("interlockInMemoryLockProvider"));
			});
	}

	@Test
	void templateTellsLocksOfTheProvidersApart() {
		this.inMemory.withPropertyValues("interlock.providers.billing.provider=memory").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest billed = ORDERS.withProvider("billing");
			try (LockHandle held = template.acquire(ORDERS)) {
				Background.run(() -> template.acquire(billed).close());
				Background.run(() -> assertThat(template.tryAcquire(ORDERS)).isEmpty());
			}
			try (LockHandle held = template.acquire(billed)) {
				Background.run(() -> assertThat(template.tryAcquire(billed)).isEmpty());
			}
		});
	}

	@Test
	void beansOfTheApplicationHaveTheirNamesBesideTheDefaultOne() {
		this.inMemory.withUserConfiguration(OwnProvider.class).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			InMemoryLockProvider own = context.getBean("branch", InMemoryLockProvider.class);
			try (LockHandle held = template.acquire(ORDERS);
					LockHandle other = template.acquire(ORDERS.withProvider("branch"))) {
				assertThat(own.grants()).hasSize(1);
				assertThat(new LocksEndpoint(context.getBean(HeldLocks.class), List::of, Map::of, () -> null, List::of)
					.locks(null, null, null)
					.held()).extracting(LocksEndpoint.HeldLockDescriptor::provider).containsExactly(null, "branch");
				assertThat(context.getBean("interlockInMemoryLockProvider", InMemoryLockProvider.class).grants())
					.hasSize(1);
			}
		});
	}

	@Test
	void unknownProviderOfAnAnnotationFailsTheStart() {
		this.inMemory
			.withPropertyValues("interlock.providers.billing.provider=memory",
					"interlock.providers.audit.provider=memory", "store.of.invoices=biling")
			.withBean(Office.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockDefinitionException.class)
				.hasMessageContaining("Office.")
				.hasMessageContaining("Lock provider 'biling' is not defined. Did you mean 'billing'? "
						+ "Defined besides the default one: [audit, billing]. To define a new one, set "
						+ "interlock.providers.<name>.provider."));
	}

	@Test
	void nameOfTheDefaultProviderIsNoOtherProvider() {
		this.inMemory.run((context) -> assertThatIllegalArgumentException().isThrownBy(
				() -> context.getBean(LockTemplate.class).acquire(ORDERS.withProvider("interlockInMemoryLockProvider")))
			.withMessage(
					"Lock provider 'interlockInMemoryLockProvider' is not defined: set interlock.providers.interlockInMemoryLockProvider.provider."));
	}

	@Test
	void everyProviderIsSwitchedOffTogether() {
		this.inMemory.withPropertyValues("interlock.enabled=false", "interlock.providers.billing.provider=zookeeper")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				LockRequest billed = ORDERS.withProvider("billing");
				try (LockHandle held = template.acquire(billed)) {
					Background.run(() -> template.acquire(billed).close());
				}
				assertThat(context).doesNotHaveBean("billing");
			});
	}

	@Test
	void providerWithoutAnotherDefaultOneIsNoReasonForAWarning(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.provider=none", "interlock.providers.billing.provider=memory")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				try (LockHandle held = template.acquire(ORDERS);
						LockHandle other = template.acquire(ORDERS.withProvider("billing"))) {
					Background.run(() -> template.acquire(ORDERS).close());
					Background.run(() -> assertThat(template.tryAcquire(ORDERS.withProvider("billing"))).isEmpty());
				}
			});
		assertThat(output).doesNotContain("has no effect");
	}

	@Test
	void wrongPropertiesAreNamedWhereTheyStand() {
		this.inMemory
			.withPropertyValues("interlock.providers.billing.provider=zookeeper",
					"interlock.providers.billing.connect-string=localhost:1",
					"interlock.providers.billing.root-path=relative")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
						(failure) -> assertThat(failure.getName()).isEqualTo("interlock.providers.billing.root-path")));
		this.inMemory.withPropertyValues("interlock.providers.billing.connect-string=localhost:1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith(
						"Provider 'billing' has no store, because interlock.providers.billing.provider is not set. Set interlock.providers.billing.provider to one of "));
	}

	@Test
	void zooKeeperWithoutServersFailsTheStart() {
		this.inMemory.withPropertyValues("interlock.providers.billing.provider=zookeeper")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("interlock.providers.billing.connect-string");
					assertThat(failure.getReason()).contains("host:port");
				}));
	}

	@Test
	void providerInMemoryIsAWarningWithItsName(CapturedOutput output) {
		this.inMemory.withPropertyValues("interlock.providers.billing.provider=memory")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("Locks of provider 'billing' are kept in the memory of this JVM");
	}

	@Test
	void locksAreKeptOnTwoServersOfZooKeeper(CapturedOutput output) throws Exception {
		try (TestingServer other = new TestingServer()) {
			this.contextRunner
				.withPropertyValues("interlock.provider=zookeeper", "interlock.zookeeper.embedded.enabled=true",
						"interlock.zookeeper.embedded.port=0", "interlock.providers.billing.provider=zookeeper",
						"interlock.providers.billing.connect-string=" + other.getConnectString(),
						"interlock.providers.billing.root-path=/bills", "interlock.startup-timeout=30s")
				.run((context) -> {
					assertThat(context.getBean("billing")).isInstanceOf(ZooKeeperLockProvider.class);
					assertThat(context.getBeanProvider(LockProvider.class).getObject())
						.isSameAs(context.getBean("interlockZooKeeperLockProvider"));
					assertThat(context).hasSingleBean(ZooKeeperHealthIndicator.class);
					assertThat(context.getBean(ZooKeeperHealthIndicator.class).health().getStatus())
						.isEqualTo(Status.UP);
					LockTemplate template = context.getBean(LockTemplate.class);
					LockRequest billed = ORDERS.withProvider("billing");
					try (LockHandle held = template.acquire(ORDERS); LockHandle other2 = template.acquire(billed)) {
						assertThat(locks(context.getBean(CuratorFramework.class)
							.getZookeeperClient()
							.getCurrentConnectionString(), "/interlock")).isEqualTo(1);
						assertThat(locks(other.getConnectString(), "/bills")).isEqualTo(1);
						Background.run(() -> assertThat(template.tryAcquire(billed)).isEmpty());
					}
				});
			assertThat(output).contains("Locks of provider 'billing' are kept in ZooKeeper at '"
					+ other.getConnectString() + "' (nodes below /bills), which is ready");
		}
	}

	@Test
	void namedProviderHasHealthAndMetersBesideTheDefaultOne() throws Exception {
		try (TestingServer server = new TestingServer()) {
			this.inMemory.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
				.withPropertyValues("interlock.providers.billing.provider=zookeeper",
						"interlock.providers.billing.connect-string=" + server.getConnectString(),
						"interlock.providers.audit.provider=memory", "interlock.startup-timeout=30s")
				.run((context) -> {
					CompositeHealthContributor health = context.getBean("interlockProvidersHealthContributor",
							CompositeHealthContributor.class);
					assertThat(health.stream()).singleElement().satisfies((each) -> {
						assertThat(each.name()).isEqualTo("billing");
						assertThat(each.contributor()).isInstanceOfSatisfying(ZooKeeperHealthIndicator.class,
								(indicator) -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
					});
					MeterRegistry registry = context.getBean(MeterRegistry.class);
					new LockStoreMetrics(() -> State.CONNECTED, () -> 0).bindTo(registry);
					context.getBeansOfType(MeterBinder.class).values().forEach((binder) -> binder.bindTo(registry));
					assertThat(registry.get("interlock.connection")
						.tags("state", "connected", "provider", "billing")
						.gauge()
						.value()).isEqualTo(1);
					LockTemplate template = context.getBean(LockTemplate.class);
					template.acquire(ORDERS).close();
					template.acquire(ORDERS.withProvider("billing")).close();
					assertThat(registry.find("interlock.hold").timers()).allMatch((timer) -> timer.count() == 1)
						.extracting((timer) -> timer.getId().getTag("provider"))
						.containsExactlyInAnyOrder(null, "billing");
				});
		}
	}

	@Test
	void applicationWithOneProviderHasNoHealthOfOthers() {
		this.inMemory.run((context) -> assertThat(context).doesNotHaveBean("interlockProvidersHealthContributor")
			.doesNotHaveBean("interlockNamedLockProviderMetrics"));
	}

	@Test
	void operatorsSeeFreeAndAskForALockOfANamedProviderAtAnyInstance() throws Exception {
		try (TestingServer server = new TestingServer()) {
			ApplicationContextRunner instance = this.inMemory.withPropertyValues(
					"interlock.providers.billing.provider=zookeeper",
					"interlock.providers.billing.connect-string=" + server.getConnectString(),
					"interlock.startup-timeout=30s", "management.endpoints.web.exposure.include=locks",
					"interlock.admin.enabled=true");
			instance.run((holder) -> instance.run((other) -> {
				LocksAdminEndpointWebExtension operators = other.getBean(LocksAdminEndpointWebExtension.class);
				LockHandle byDefault = holder.getBean(LockTemplate.class).acquire(ORDERS);
				LockHandle held = holder.getBean(LockTemplate.class).acquire(ORDERS.withProvider("billing"));
				assertThat(cluster(operators, "billing").locks()).singleElement()
					.satisfies((lock) -> assertThat(lock.holders()).extracting(LockContender::token)
						.containsExactly(held.fencingToken()));
				CompletableFuture<RevocationRequest> asked = new CompletableFuture<>();
				held.onRevocationRequested(asked::complete);
				assertThat(operators
					.holdOrAsk(SecurityContext.NONE, new String[] { "cluster", "orders" }, null, null, null, "billing",
							null, null, Long.toString(held.fencingToken()), null)
					.getStatus()).isEqualTo(202);
				assertThat(asked).succeedsWithin(Duration.ofSeconds(30));
				assertThat(operators
					.release(SecurityContext.NONE, new String[] { "cluster", "orders" }, null, null, null, "billing",
							Long.toString(held.fencingToken()))
					.getStatus()).isEqualTo(200);
				Awaitility.await().until(held::isLost);
				assertThat(byDefault.isValid()).isTrue();
				held.close();
				byDefault.close();
			}));
		}
	}

	@Test
	void operatorWhoNamesNoKnownProviderLearnsOfTheOthers() {
		this.inMemory
			.withPropertyValues("interlock.providers.billing.provider=memory",
					"management.endpoints.web.exposure.include=locks", "interlock.admin.enabled=true")
			.run((context) -> {
				LocksAdminEndpointWebExtension operators = context.getBean(LocksAdminEndpointWebExtension.class);
				assertThat(List.of(operators.locks("cluster", null, null, "biling", null, null, null, null),
						operators.release(SecurityContext.NONE, new String[] { "cluster", "orders" }, null, null, null,
								"biling", "1")))
					.allSatisfy((answer) -> {
						assertThat(answer.getStatus()).isEqualTo(400);
						assertThat(answer.getBody()).asString().contains("Did you mean 'billing'?");
					});
				assertThat(operators.locks("cluster", null, null, "billing", null, null, null, null).getStatus())
					.isEqualTo(501);
			});
	}

	private static LocksEndpoint.ClusterLocksDescriptor cluster(LocksAdminEndpointWebExtension operators,
			String provider) {
		return (LocksEndpoint.ClusterLocksDescriptor) operators
			.locks("cluster", null, null, provider, null, null, null, null)
			.getBody();
	}

	private static int locks(String server, String rootPath) throws Exception {
		try (CuratorFramework client = CuratorFrameworkFactory.newClient(server, new RetryOneTime(100))) {
			client.start();
			return client.getChildren().forPath(rootPath).size();
		}
	}

	static class Office {

		@DistributedLock(name = "orders", provider = "${store.of.invoices}")
		public String exclusive() {
			return String.valueOf(LockContext.current().id().provider());
		}

		@WriteLock(name = "orders", provider = "${store.of.invoices}")
		public String write() {
			return String.valueOf(LockContext.current().id().provider());
		}

		@ReadLock(name = "orders", provider = "audit")
		public String read() {
			return String.valueOf(LockContext.current().id().provider());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnProvider {

		@Bean(defaultCandidate = false)
		InMemoryLockProvider branch() {
			return new InMemoryLockProvider();
		}

	}

}
