package io.interlock.autoconfigure;

import io.interlock.autoconfigure.store.LockStores;
import io.interlock.autoconfigure.store.StoreChoice;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Locks in memory, or none. Fails the start if a store is missing or not chosen. */
@Configuration(proxyBeanMethods = false)
@Conditional(InMemoryLockConfiguration.WithoutStore.class)
@ConditionalOnMissingBean(LockProvider.class)
class InMemoryLockConfiguration {

	/** Known to users, who set its level. */
	private static final Log logger = LogFactory.getLog("io.interlock.autoconfigure.InterlockAutoConfiguration");

	@Bean
	@Lazy(false)
	InMemoryLockProvider interlockInMemoryLockProvider(InterlockProperties properties, ApplicationContext context) {
		StoreChoice choice = StoreChoice.of(context.getEnvironment(), context.getClassLoader());
		RuntimeException failure = choice.failure();
		if (properties.enabled() && failure != null) {
			throw failure;
		}
		if (!properties.enabled() || !LockStores.MEMORY.equals(choice.provider())) {
			return InMemoryLockProvider.excludingNothing();
		}
		logger.warn("Locks are kept in the memory of this JVM: they do not exclude other processes");
		return new InMemoryLockProvider();
	}

	static class WithoutStore implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			StoreChoice choice = StoreChoice.of(context.getEnvironment(), context.getClassLoader());
			return !context.getEnvironment().getProperty("interlock.enabled", Boolean.class, true)
					|| LockStores.MEMORY.equals(choice.provider()) || LockStores.NONE.equals(choice.provider())
					|| choice.failure() != null;
		}

	}

}
