package io.interlock.autoconfigure.metrics;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.curator.CuratorLockProvider;
import io.interlock.metrics.MicrometerLockAdministrationListener;
import io.interlock.metrics.MicrometerLockListener;
import io.interlock.metrics.ZooKeeperLockMetrics;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for metrics on locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ LockOperations.class, MeterRegistry.class })
public final class LockMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	MicrometerLockListener micrometerLockListener(MeterRegistry registry, ObjectProvider<HeldLocks> heldLocks) {
		return new MicrometerLockListener(registry, heldLocks.getIfAvailable(HeldLocks::new));
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(CuratorLockProvider.class)
	ZooKeeperLockMetrics zooKeeperLockMetrics(CuratorLockProvider provider) {
		return new ZooKeeperLockMetrics(provider);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty("interlock.admin.enabled")
	MicrometerLockAdministrationListener micrometerLockAdministrationListener(MeterRegistry registry) {
		return new MicrometerLockAdministrationListener(registry);
	}

}
