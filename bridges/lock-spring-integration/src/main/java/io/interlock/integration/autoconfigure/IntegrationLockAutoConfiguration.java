package io.interlock.integration.autoconfigure;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.integration.InterlockLockRegistry;
import io.interlock.template.LockOperations;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Auto-configuration for the lock registry of Spring Integration.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
public final class IntegrationLockAutoConfiguration {

	@Bean
	@ConditionalOnBean(LockOperations.class)
	@ConditionalOnMissingBean(LockRegistry.class)
	InterlockLockRegistry interlockLockRegistry(LockOperations locks) {
		return new InterlockLockRegistry(locks);
	}

}
