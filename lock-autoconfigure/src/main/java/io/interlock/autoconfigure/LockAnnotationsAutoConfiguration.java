package io.interlock.autoconfigure;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.interlock.LockProvider;
import io.interlock.interceptor.AnnotationLockDefinitionSource;
import io.interlock.interceptor.LeaderOnlyAdvisor;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.interceptor.LockDefinitionSource;
import io.interlock.interceptor.LockInterceptor;
import io.interlock.interceptor.LockOverride;
import io.interlock.interceptor.LockOverrides;
import io.interlock.interceptor.WaitTime;
import io.interlock.template.LockOperations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Auto-configuration for the interception of annotated methods.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(prefix = "interlock", name = { "enabled", "annotations.enabled" }, matchIfMissing = true)
@EnableConfigurationProperties({ InterlockProperties.Locks.class, InterlockProperties.Annotations.class })
@Import(LockAnnotationsAutoConfiguration.AutoProxyCreatorRegistrar.class)
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

	/** Runs when all beans are there: finding methods must not create the provider. */
	@Bean
	static SmartInitializingSingleton lockCapabilityCheck(ObjectProvider<AnnotationLockDefinitionSource> source,
			@Qualifier("queueingLockProvider") ObjectProvider<LockProvider> provider) {
		return () -> provider
			.ifAvailable((found) -> source.ifAvailable((methods) -> methods.checkCapabilities(found.capabilities())));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static UnproxiedBeans unproxiedLockBeans(DefaultListableBeanFactory beanFactory) {
		return new UnproxiedBeans(beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static LockOverrides lockOverrides(ObjectProvider<InterlockProperties.Locks> locks) {
		return (name) -> {
			InterlockProperties.Lock lock = locks.getObject().get(name);
			if (lock == null) {
				return LockOverride.NONE;
			}
			WaitTime waitTime = lock.waitTime();
			return new LockOverride(lock.onContention(), (waitTime != null) ? waitTime.duration() : null,
					lock.enabled());
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

	/**
	 * Registers an auto-proxy creator, with or without AspectJ: Boot registers none where
	 * {@code spring.aop.auto} is off, and locks would silently be absent.
	 */
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

	/**
	 * Finds beans whose lock annotations do nothing, because they have no proxy. It notes
	 * what the container makes until all singletons are there, from before the first
	 * {@link BeanPostProcessor}. Objects that the container did not make, such as mocks,
	 * are not its business, and a bean that comes later has its proxy.
	 */
	static class UnproxiedBeans implements BeanDefinitionRegistryPostProcessor, SmartInitializingSingleton, Ordered {

		private static final Log logger = LogFactory.getLog(UnproxiedBeans.class);

		private final Map<String, Class<?>> made = new ConcurrentHashMap<>();

		/**
		 * Those that were made without a proxy creator, of any scope. A product has the
		 * name of its factory and another type.
		 */
		private final Map<String, Class<?>> early = new ConcurrentHashMap<>();

		private final DefaultListableBeanFactory beanFactory;

		private volatile boolean checked;

		UnproxiedBeans(DefaultListableBeanFactory beanFactory) {
			this.beanFactory = beanFactory;
		}

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
			this.beanFactory.addBeanPostProcessor(new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String beanName) {
					if (!UnproxiedBeans.this.checked && !(bean instanceof AopInfrastructureBean)) {
						note(bean.getClass(), beanName);
					}
					return bean;
				}

			});
		}

		private void note(Class<?> type, String beanName) {
			this.made.put(beanName, type);
			if (this.beanFactory.getBeanPostProcessors()
				.stream()
				.noneMatch(AbstractAutoProxyCreator.class::isInstance)) {
				this.early.put(beanName, type);
			}
		}

		@Override
		public void afterSingletonsInstantiated() {
			this.checked = true;
			InterlockProperties.Unproxied policy = this.beanFactory.getBean(InterlockProperties.Annotations.class)
				.unproxied();
			if (policy != InterlockProperties.Unproxied.IGNORE) {
				List<StaticMethodMatcherPointcutAdvisor> advisors = Stream
					.<StaticMethodMatcherPointcutAdvisor>concat(
							this.beanFactory.getBeanProvider(LockAdvisor.class).stream(),
							this.beanFactory.getBeanProvider(LeaderOnlyAdvisor.class).stream())
					.toList();
				this.made.forEach((name, type) -> advisors.stream()
					.filter((advisor) -> isUnproxied(name, type) && advisor.getClassFilter().matches(type))
					.forEach((advisor) -> tell(name, type, advisor, policy)));
			}
			this.made.clear();
			this.early.clear();
		}

		private boolean isUnproxied(String name, Class<?> type) {
			Object bean = this.beanFactory.getSingleton(name);
			return isEarly(name, type) || (bean != null && bean.getClass() == type);
		}

		private boolean isEarly(String name, Class<?> type) {
			return this.early.get(name) == type;
		}

		private void tell(String name, Class<?> type, StaticMethodMatcherPointcutAdvisor advisor,
				InterlockProperties.Unproxied policy) {
			String location = Stream.of(ReflectionUtils.getUniqueDeclaredMethods(ClassUtils.getUserClass(type)))
				.filter((method) -> advisor.matches(method, type))
				.map(Method::getName)
				.min(Comparator.naturalOrder())
				.map((method) -> ClassUtils.getUserClass(type).getName() + "." + method)
				.orElse(type.getName());
			LockDefinitionException failure = new LockDefinitionException(location,
					"The bean '%s' has no proxy, so its methods run without their locks: %s.".formatted(name,
							reason(name, type)),
					"Have the bean that needs it early ask for an ObjectProvider or a @Lazy argument, make its @Bean method "
							+ "static, or move the annotated method to another bean. The property "
							+ "'interlock.annotations.unproxied' can be 'warn' or 'ignore'.",
					null);
			if (policy == InterlockProperties.Unproxied.FAIL) {
				throw failure;
			}
			logger.warn(failure.getMessage());
		}

		private String reason(String name, Class<?> type) {
			if (!isEarly(name, type)) {
				return "it is an aspect, or another bean that Spring gives no proxy";
			}
			String asker = asker(name);
			return "it was made before the beans that make proxies"
					+ (asker.equals(name) ? "" : ", because the bean '%s' needs it".formatted(asker));
		}

		/** Return the last in the chain of early beans that need each other. */
		private String asker(String name) {
			Set<String> chain = new HashSet<>();
			String asker = name;
			for (String next = name; next != null; next = Stream.of(this.beanFactory.getDependentBeans(asker))
				.filter((each) -> this.early.containsKey(each) && !chain.contains(each))
				.findFirst()
				.orElse(null)) {
				asker = next;
				chain.add(next);
			}
			return asker;
		}

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

	}

}
