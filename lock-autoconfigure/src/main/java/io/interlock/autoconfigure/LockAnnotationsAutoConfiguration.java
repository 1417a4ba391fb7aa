package io.interlock.autoconfigure;

import io.interlock.interceptor.AnnotationLockDefinitionSource;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockDefinitionSource;
import io.interlock.interceptor.LockInterceptor;
import io.interlock.interceptor.LockOverride;
import io.interlock.interceptor.LockOverrides;
import io.interlock.template.LockOperations;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for the interception of annotated methods.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(prefix = "interlock", name = { "enabled", "annotations.enabled" }, matchIfMissing = true)
@EnableConfigurationProperties(InterlockProperties.class)
@Import(AutoProxyCreatorRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockAnnotationsAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(LockDefinitionSource.class)
	static AnnotationLockDefinitionSource lockDefinitionSource(Environment environment,
			ObjectProvider<LockOverrides> overrides, BeanFactory beanFactory) {
		LockOverrides lazyOverrides = (name) -> overrides.getIfAvailable(() -> (other) -> LockOverride.NONE)
			.forName(name);
		return new AnnotationLockDefinitionSource(environment, lazyOverrides, beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LockOverrides lockOverrides(ObjectProvider<InterlockProperties> properties) {
		return (name) -> {
			InterlockProperties.Lock lock = properties.getObject().locks().get(name);
			return (lock != null) ? new LockOverride(lock.onContention(), lock.enabled()) : LockOverride.NONE;
		};
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockInterceptor lockInterceptor(LockDefinitionSource source, ObjectProvider<LockOperations> operations) {
		return new LockInterceptor(source, operations::getObject);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LockAdvisor lockAdvisor(LockDefinitionSource source, LockInterceptor interceptor, Environment environment) {
		LockAdvisor advisor = new LockAdvisor(source, interceptor);
		advisor
			.setOrder(environment.getProperty("interlock.annotations.order", Integer.class, LockAdvisor.DEFAULT_ORDER));
		return advisor;
	}

}
