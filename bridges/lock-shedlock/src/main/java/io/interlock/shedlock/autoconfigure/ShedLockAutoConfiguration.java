package io.interlock.shedlock.autoconfigure;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.shedlock.InterlockLockProvider;
import io.interlock.template.LockOperations;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the lock provider of ShedLock.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnClass(LockProvider.class)
public final class ShedLockAutoConfiguration {

	@Bean
	@ConditionalOnBean(LockOperations.class)
	@ConditionalOnMissingBean(LockProvider.class)
	InterlockLockProvider interlockShedLockProvider(LockOperations locks) {
		return new InterlockLockProvider(locks);
	}

}
