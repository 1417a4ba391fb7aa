package io.interlock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreException;
import io.interlock.metrics.LockStoreMetrics;
import io.interlock.metrics.MicrometerLockAdministrationListener;
import io.interlock.metrics.MicrometerLockListener;
import io.interlock.observation.LockObservation;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockMetricsAutoConfiguration}.
 */
class LockMetricsAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockMetricsAutoConfiguration.class))
		.withBean(LockOperations.class, () -> mock(LockOperations.class));

	@Test
	void recordsInTheRegistryOfTheApplication() {
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			context.getBean(LockListener.class).onWaiting(LockRequest.exclusive("orders"));
			assertThat(context.getBean(MeterRegistry.class).get("interlock.waiting").gauge().value()).isEqualTo(1);
		});
	}

	@Test
	void recordsInTheRegistryOfBoot() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class))
			.run((context) -> assertThat(context).hasSingleBean(MicrometerLockListener.class));
	}

	@Test
	void obeysTheMeterFiltersOfBoot() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class))
			.withPropertyValues("management.metrics.enable.interlock=false")
			.run((context) -> {
				context.getBean(LockListener.class).onWaiting(LockRequest.exclusive("orders"));
				assertThat(context.getBean(MeterRegistry.class).find("interlock.waiting").gauge()).isNull();
			});
	}

	@Test
	void observationsAreNotCountedAgain() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class))
			.run((context) -> {
				observe(context.getBean(MeterRegistry.class));
				assertThat(context.getBean(MeterRegistry.class).find("interlock.lock.wait").meters()).isEmpty();
				assertThat(context.getBean(MeterRegistry.class).find("interlock.lock.wait.active").meters()).isEmpty();
				assertThat(context.getBean(MeterRegistry.class).find("other").meters()).hasSize(1);
			});
	}

	private static void observe(MeterRegistry registry) {
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
		for (String name : List.of(LockObservation.WAIT.getName(), "other")) {
			Observation.createNotStarted(name, observations).observe(() -> {
			});
		}
	}

	@Test
	void isAmongTheListenersThatTheTemplateCollects() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withUserConfiguration(CollectingConfiguration.class)
			.run((context) -> assertThat(context.getBean(CollectingConfiguration.class).listeners)
				.hasOnlyElementsOfType(MicrometerLockListener.class)
				.hasSize(1));
	}

	@Test
	void countsWhatOperatorsDoIfTheyMay() {
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("interlock.admin.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(MicrometerLockAdministrationListener.class));
	}

	@Test
	void countsNothingOfOperatorsByDefault() {
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).doesNotHaveBean(MicrometerLockAdministrationListener.class));
	}

	@Test
	void backsOffIfThereIsAListenerAlready() {
		MicrometerLockListener custom = new MicrometerLockListener(new SimpleMeterRegistry(), new HeldLocks());
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("custom", MicrometerLockListener.class, () -> custom)
			.run((context) -> assertThat(context).getBean(MicrometerLockListener.class).isSameAs(custom));
	}

	@Test
	void showsTheConnectionOfTheProvider() {
		ZooKeeperLockProvider provider = mock(ZooKeeperLockProvider.class);
		given(provider.session())
			.willReturn(new SessionSnapshot(State.CONNECTED, Instant.now(), 1L, null, null, false));
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(ZooKeeperLockProvider.class, () -> provider)
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				context.getBean(LockStoreMetrics.class).bindTo(registry);
				assertThat(registry.get("interlock.connection").tag("state", "connected").gauge().value()).isEqualTo(1);
				assertThat(registry.get("interlock.connection").tag("state", "lost").gauge().value()).isZero();
				assertThat(registry.get("interlock.releases.pending").gauge().value()).isZero();
			});
	}

	@Test
	void silentServersAreAsGoodAsAway() {
		ZooKeeperLockProvider provider = mock(ZooKeeperLockProvider.class);
		given(provider.session()).willReturn(new SessionSnapshot(State.CONNECTED, Instant.now(), 1L, null, null, true));
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(ZooKeeperLockProvider.class, () -> provider)
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				context.getBean(LockStoreMetrics.class).bindTo(registry);
				assertThat(connection(registry, "suspended")).isEqualTo(1);
				assertThat(connection(registry, "connected")).isZero();
			});
	}

	@Test
	void gaugesAreTheSameForStoresOfLeases() {
		LeaseStore store = mock(LeaseStore.class);
		AtomicBoolean down = new AtomicBoolean(true);
		willAnswer((call) -> {
			if (down.get()) {
				throw LeaseStoreException.passing("the test fails", null);
			}
			return null;
		}).given(store).check();
		LeaseSettings settings = new LeaseSettings("test", Duration.ofSeconds(15), Duration.ofMillis(50),
				Duration.ofSeconds(1), 1, false);
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(LeaseLockProvider.class, () -> new LeaseLockProvider(store, settings))
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				context.getBean(LockStoreMetrics.class).bindTo(registry);
				assertThat(connection(registry, "connecting")).isEqualTo(1);
				assertThat(connection(registry, "connected")).isZero();
				assertThat(registry.get("interlock.releases.pending").gauge().value()).isZero();
				down.set(false);
				await().untilAsserted(() -> assertThat(connection(registry, "connected")).isEqualTo(1));
				assertThat(connection(registry, "connecting")).isZero();
				assertThat(registry.get("interlock.connection").gauges())
					.extracting((gauge) -> gauge.getId().getTag("state"))
					.containsExactlyInAnyOrder("connecting", "connected", "suspended", "lost", "closed");
			});
	}

	private static double connection(MeterRegistry registry, String state) {
		return registry.get("interlock.connection").tag("state", state).gauge().value();
	}

	@Test
	void backsOffWithoutARegistry() {
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(LockListener.class));
	}

	@Test
	void backsOffWithoutLocks() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).doesNotHaveBean(LockListener.class));
	}

	@Test
	void backsOffWithoutMicrometer() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockListener.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class CollectingConfiguration {

		private List<LockListener> listeners = List.of();

		@Bean
		LockOperations lockOperations(List<LockListener> listeners) {
			this.listeners = listeners;
			return mock(LockOperations.class);
		}

	}

}
