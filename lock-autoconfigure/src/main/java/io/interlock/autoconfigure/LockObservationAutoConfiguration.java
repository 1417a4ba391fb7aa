package io.interlock.autoconfigure;

import io.interlock.observation.LockObservationConvention;
import io.interlock.observation.ObservationLockListener;
import io.interlock.template.LockOperations;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for observations of locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ LockOperations.class, ObservationRegistry.class })
@ConditionalOnBooleanProperty(name = "interlock.observations.enabled", matchIfMissing = true)
public final class LockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ObservationLockListener interlockObservationLockListener(ObservationRegistry registry,
			ObjectProvider<LockObservationConvention> convention) {
		return new ObservationLockListener(registry, convention.getIfAvailable());
	}

}
