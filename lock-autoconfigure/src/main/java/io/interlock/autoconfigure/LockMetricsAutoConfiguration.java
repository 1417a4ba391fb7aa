package io.interlock.autoconfigure;

import java.util.Arrays;
import java.util.Set;

import io.interlock.interceptor.JobRuns;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.metrics.JobRunMetrics;
import io.interlock.metrics.LockStoreMetrics;
import io.interlock.metrics.MicrometerLockAdministrationListener;
import io.interlock.metrics.MicrometerLockListener;
import io.interlock.observation.LockObservation;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.zookeeper.ZooKeeperSession;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration for metrics on locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class },
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ LockOperations.class, MeterRegistry.class })
public final class LockMetricsAutoConfiguration {

	private static final boolean ZOOKEEPER = ClassUtils.isPresent("io.interlock.zookeeper.ZooKeeperSession",
			LockMetricsAutoConfiguration.class.getClassLoader());

	@Bean
	@ConditionalOnMissingBean
	MicrometerLockListener interlockMicrometerLockListener(MeterRegistry registry,
			ObjectProvider<HeldLocks> heldLocks) {
		return new MicrometerLockListener(registry, heldLocks.getIfAvailable(HeldLocks::new));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(JobRuns.class)
	JobRunMetrics interlockJobRunMetrics(JobRuns runs) {
		return new JobRunMetrics(runs);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(LeaseLockProvider.class)
	LockStoreMetrics interlockLeaseLockMetrics(ObjectProvider<LeaseLockProvider> provider) {
		// Asked for late: a test may have a mock in place of the provider.
		return new LockStoreMetrics(() -> provider.getObject().snapshot().state(),
				() -> provider.getObject().pendingReleases());
	}

	@Bean
	@ConditionalOnBean(value = NamedLockProviders.class, search = SearchStrategy.CURRENT)
	MeterBinder interlockNamedLockProviderMetrics(NamedLockProviders providers) {
		return (registry) -> providers.map(LockMetricsAutoConfiguration::metrics)
			.values()
			.forEach((metrics) -> metrics.bindTo(registry));
	}

	private static @Nullable LockStoreMetrics metrics(String name, LockProvider provider) {
		if (provider instanceof LeaseLockProvider leases) {
			return new LockStoreMetrics(name, () -> leases.snapshot().state(), leases::pendingReleases);
		}
		return ZOOKEEPER ? ZooKeeperLockMetricsConfiguration.metrics(name, provider) : null;
	}

	/** Keeps meters of {@link MicrometerLockListener} unique. Spans are not affected. */
	@Bean
	static MeterFilter interlockLockObservationMeterFilter() {
		return MeterFilter.deny((id) -> Arrays.stream(LockObservation.values())
			.anyMatch((each) -> Set.of(each.getName(), each.getName() + ".active").contains(id.getName())));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty("interlock.admin.enabled")
	MicrometerLockAdministrationListener interlockMicrometerLockAdministrationListener(MeterRegistry registry) {
		return new MicrometerLockAdministrationListener(registry);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ZooKeeperSession.class)
	static class ZooKeeperLockMetricsConfiguration {

		static @Nullable LockStoreMetrics metrics(String name, LockProvider provider) {
			return (provider instanceof ZooKeeperSession session)
					? new LockStoreMetrics(name, () -> session.session().usableState(), session::pendingReleases)
					: null;
		}

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnSingleCandidate(ZooKeeperSession.class)
		LockStoreMetrics interlockZooKeeperLockMetrics(ObjectProvider<ZooKeeperSession> session) {
			return new LockStoreMetrics(() -> session.getObject().session().usableState(),
					() -> session.getObject().pendingReleases());
		}

	}

}
