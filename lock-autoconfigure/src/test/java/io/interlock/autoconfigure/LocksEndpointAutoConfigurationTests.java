package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.actuate.endpoint.LocksEndpointWebExtension;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.lease.LeaseInspector;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseRevoker;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.provider.LockCapabilities;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LocksEndpointAutoConfiguration}.
 */
class LocksEndpointAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LocksEndpointAutoConfiguration.class));

	private final ApplicationContextRunner lockingRunner = this.contextRunner.withBean(HeldLocks.class,
			() -> mock(HeldLocks.class));

	@Test
	void hasEndpointIfExposed() {
		this.lockingRunner.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
	}

	@Test
	void hasEndpointIfExposedOverJmx() {
		this.lockingRunner
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
	}

	@Test
	void showsWhatTheProviderOfTheLocksCanDo() {
		LockCapabilities capabilities = new LockCapabilities(true, false, true, false, true);
		QueueingLockProvider provider = mock(QueueingLockProvider.class);
		given(provider.capabilities()).willReturn(capabilities);
		this.lockingRunner.withBean("interlockQueueingLockProvider", QueueingLockProvider.class, () -> provider)
			.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.run((context) -> assertThat(context.getBean(LocksEndpoint.class).locks(null, null, null).capabilities())
				.isEqualTo(capabilities));
	}

	@Test
	void hasNoEndpointIfNotExposed() {
		this.lockingRunner.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void hasNoEndpointIfAccessIsDenied() {
		this.lockingRunner
			.withPropertyValues("management.endpoints.web.exposure.include=*", "management.endpoint.locks.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void backsOffIfThereIsAnEndpointAlready() {
		LocksEndpoint custom = new LocksEndpoint(mock(HeldLocks.class), List::of, Map::of, () -> null, List::of);
		this.lockingRunner.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.withBean("custom", LocksEndpoint.class, () -> custom)
			.run((context) -> assertThat(context).getBean(LocksEndpoint.class).isSameAs(custom));
	}

	@Test
	void backsOffWithoutLocks() {
		this.contextRunner.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.run((context) -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void backsOffWithoutActuator() {
		this.lockingRunner.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.withClassLoader(new FilteredClassLoader(ConditionalOnAvailableEndpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("interlockLocksEndpoint"));
	}

	@Test
	void showsTheClusterOverTheTechnologiesThatAreExposed() {
		this.lockingRunner.withBean(LockInspector.class, () -> mock(LockInspector.class))
			.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpointWebExtension.class)
				.doesNotHaveBean(LocksEndpoint.JmxExtension.class));
	}

	@Test
	void showsTheClusterOverJmx() {
		this.lockingRunner.withBean(LockInspector.class, () -> mock(LockInspector.class))
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.JmxExtension.class)
				.doesNotHaveBean(LocksEndpointWebExtension.class));
	}

	@Test
	void saysThatNobodyReadsTheCluster() {
		this.lockingRunner.withPropertyValues("management.endpoints.web.exposure.include=locks").run((context) -> {
			WebEndpointResponse<Object> answer = context.getBean(LocksEndpointWebExtension.class)
				.locks("cluster", null, null, null, null, null, null, null);
			assertThat(answer.getStatus()).isEqualTo(501);
			assertThat(answer.getBody()).isInstanceOfSatisfying(LocksEndpointWebExtension.ErrorDescriptor.class,
					(error) -> assertThat(error.message()).contains("cannot list the holders of its locks",
							"interlock.provider"));
			assertThat(context).doesNotHaveBean(LocksEndpoint.JmxExtension.class);
		});
	}

	@Test
	void readsTheClusterThroughAStoreOfLeases() {
		leaseRunner().run((context) -> assertThat(context).hasSingleBean(LocksEndpointWebExtension.class)
			.getBean(LockInspector.class)
			.isInstanceOf(LeaseInspector.class));
		leaseRunner().run((context) -> assertThat(context).doesNotHaveBean(LockRevoker.class));
		leaseRunner().withPropertyValues("interlock.admin.enabled=true")
			.run((context) -> assertThat(context).getBean(LockRevoker.class).isInstanceOf(LeaseRevoker.class));
	}

	@Test
	void saysThatAStoreOfLeasesDoesNotTell() {
		leaseRunner().run((context) -> assertThat(context.getBean(LocksEndpointWebExtension.class)
			.locksOfName("cluster", "stock", null, null, null, null, null, null)
			.getStatus()).isEqualTo(501));
	}

	private ApplicationContextRunner leaseRunner() {
		LeaseStore silent = mock(LeaseStore.class);
		given(silent.lines(any())).willThrow(new UnsupportedOperationException("This store does not tell"));
		given(silent.address()).willReturn(new LeaseStoreAddress("Test", "here", "locks", "none"));
		return this.lockingRunner
			.withBean(LeaseLockProvider.class,
					() -> new LeaseLockProvider(silent,
							new LeaseSettings("test", Duration.ofMinutes(1), Duration.ofMillis(100),
									Duration.ofSeconds(1), 1, false)))
			.withPropertyValues("management.endpoints.web.exposure.include=locks");
	}

	@Test
	void readsTheClusterThroughTheClientOfTheLocks() {
		zooKeeperRunner().withPropertyValues("management.endpoints.web.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(ZooKeeperLockInspector.class)
				.hasSingleBean(LocksEndpointWebExtension.class));
	}

	@Test
	void doesNotReadTheClusterIfTheEndpointIsNotExposed() {
		zooKeeperRunner().run((context) -> assertThat(context).doesNotHaveBean(LockInspector.class));
	}

	@Test
	void inspectorBacksOffIfThereIsOneAlready() {
		zooKeeperRunner().withPropertyValues("management.endpoints.web.exposure.include=locks")
			.withBean("custom", LockInspector.class, () -> mock(LockInspector.class))
			.run((context) -> assertThat(context).hasSingleBean(LockInspector.class).hasBean("custom"));
	}

	@Test
	void freesNothingByDefault() {
		zooKeeperRunner()
			.withPropertyValues("management.endpoints.web.exposure.include=locks",
					"management.endpoint.locks.access=UNRESTRICTED")
			.run((context) -> assertThat(context).doesNotHaveBean(LockAdministrator.class)
				.doesNotHaveBean(LocksAdminEndpointWebExtension.class)
				.hasSingleBean(LocksEndpointWebExtension.class));
	}

	@Test
	void freesLocksIfEnabled() {
		zooKeeperRunner()
			.withPropertyValues("management.endpoints.web.exposure.include=locks", "interlock.admin.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(LockAdministrator.class)
				.hasSingleBean(LocksAdminEndpointWebExtension.class)
				.hasSingleBean(LocksEndpointWebExtension.class));
	}

	private ApplicationContextRunner zooKeeperRunner() {
		return this.contextRunner
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class,
					ZooKeeperLockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=localhost:1");
	}

}
