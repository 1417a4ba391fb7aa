package io.interlock.autoconfigure;

import java.util.stream.Stream;

import io.interlock.interceptor.JobRuns;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockOverrides;
import io.interlock.interceptor.WaitTime;
import io.interlock.interceptor.UnproxiedBeans;
import io.interlock.provider.RunRecords;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Auto-configuration for the interception of annotated methods. Each context of a
 * hierarchy has its own advisor, so that keys refer to the beans of that context.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@EnableConfigurationProperties({ InterlockProperties.Locks.class, InterlockProperties.Annotations.class })
@Import({ LockAnnotationsAutoConfiguration.AutoProxyCreatorRegistrar.class, UnknownProperties.class })
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockAnnotationsAutoConfiguration {

	/** Runs when all beans are there: finding methods must not create the provider. */
	@Bean
	@ConditionalOnBooleanProperty(prefix = "interlock", name = { "enabled", "annotations.enabled" },
			matchIfMissing = true)
	static SmartInitializingSingleton interlockLockCapabilityCheck(ObjectProvider<LockAdvisor> advisor,
			@Qualifier("interlockQueueingLockProvider") ObjectProvider<QueueingLockProvider> provider) {
		return () -> provider
			.ifAvailable((found) -> advisor.ifAvailable((methods) -> methods.checkCapabilities(found::capabilities)));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnBooleanProperty(prefix = "interlock", name = { "enabled", "annotations.enabled" },
			matchIfMissing = true)
	static UnproxiedBeans interlockUnproxiedLockBeans(DefaultListableBeanFactory beanFactory,
			ObjectProvider<InterlockProperties.Annotations> annotations) {
		return new UnproxiedBeans(beanFactory, () -> annotations.getObject().unproxied());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LockOverrides interlockLockOverrides(ObjectProvider<InterlockProperties.Locks> locks) {
		return (name) -> {
			InterlockProperties.Lock lock = locks.getObject().get(name);
			if (lock == null) {
				return LockOverrides.Change.NONE;
			}
			WaitTime waitTime = lock.waitTime();
			return new LockOverrides.Change(lock.onContention(), (waitTime != null) ? waitTime.duration() : null,
					lock.enabled());
		};
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty(prefix = "interlock", name = { "enabled", "annotations.enabled" },
			matchIfMissing = true)
	static JobRuns interlockJobRuns(ObjectProvider<RunRecords> records, BeanFactory beanFactory,
			ObjectProvider<InterlockProperties> properties, Environment environment) {
		return new JobRuns((provider) -> (provider != null) ? records(provider, beanFactory) : records.getIfUnique(),
				() -> properties.getObject().instanceId(environment));
	}

	private static @Nullable RunRecords records(String provider, BeanFactory beanFactory) {
		return (beanFactory.containsBean(provider) && beanFactory.getBean(provider) instanceof RunRecords records)
				? records : null;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static LockAdvisor interlockLockAdvisor(Environment environment, ObjectProvider<LockOverrides> overrides,
			BeanFactory beanFactory, ObjectProvider<LockOperations> operations, ObjectProvider<JobRuns> runs) {
		LockOverrides lazyOverrides = (name) -> overrides.getIfAvailable(() -> (other) -> LockOverrides.Change.NONE)
			.forName(name);
		LockAdvisor advisor = new LockAdvisor(environment, lazyOverrides, beanFactory, operations::getObject);
		advisor
			.setOrder(environment.getProperty("interlock.annotations.order", Integer.class, LockAdvisor.DEFAULT_ORDER));
		runs.ifAvailable(advisor::recordIn);
		if (Stream.of("interlock.enabled", "interlock.annotations.enabled")
			.anyMatch((property) -> !environment.getProperty(property, Boolean.class, true))) {
			advisor.switchOff();
		}
		return advisor;
	}

	/** Registers a proxy creator also where {@code spring.aop.auto} is off. */
	static class AutoProxyCreatorRegistrar implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		AutoProxyCreatorRegistrar(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importingClassMetadata,
				BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			if (this.environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

}
