package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Finds beans with lock annotations and without a proxy. It notes the beans that the
 * container makes from before the first {@link BeanPostProcessor} until all singletons
 * exist. Objects that the container did not make, such as mocks, are ignored, and later
 * beans have their proxy. Methods that the container calls without the proxy are found
 * too, of all beans.
 *
 * @since 0.1.0
 */
public final class UnproxiedBeans implements BeanDefinitionRegistryPostProcessor, SmartInitializingSingleton, Ordered {

	private static final Log logger = LogFactory.getLog(UnproxiedBeans.class);

	private final Map<String, Class<?>> made = new ConcurrentHashMap<>();

	/** Made without a proxy creator. A product has another type than its factory. */
	private final Map<String, Class<?>> early = new ConcurrentHashMap<>();

	private final DefaultListableBeanFactory beanFactory;

	private final Supplier<Policy> policy;

	private volatile boolean checked;

	/** Create a check, with what to do about such a bean. */
	public UnproxiedBeans(DefaultListableBeanFactory beanFactory, Supplier<Policy> policy) {
		this.beanFactory = beanFactory;
		this.policy = policy;
	}

	@Override
	public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
		this.beanFactory.addBeanPostProcessor(new ContainerCalls(this::tellOfCall));
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

	/** The annotation of a class is meant for its other methods. */
	private void tellOfCall(LockDefinitionException failure, boolean onMethod) {
		Policy policy = this.policy.get();
		if (policy == Policy.FAIL && onMethod) {
			throw failure;
		}
		if (policy != Policy.IGNORE) {
			logger.warn(failure.getMessage());
		}
	}

	private void note(Class<?> type, String beanName) {
		this.made.put(beanName, type);
		if (this.beanFactory.getBeanPostProcessors().stream().noneMatch(AbstractAutoProxyCreator.class::isInstance)) {
			this.early.put(beanName, type);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.checked = true;
		Policy policy = this.policy.get();
		if (policy != Policy.IGNORE) {
			List<StaticMethodMatcherPointcutAdvisor> advisors = Stream
				.<StaticMethodMatcherPointcutAdvisor>concat(
						this.beanFactory.getBeanProvider(LockAdvisor.class).stream(),
						this.beanFactory.getBeanProvider(LeaderOnlyAdvisor.class).stream())
				.toList();
			this.made.forEach((name, type) -> advisors.stream()
				.filter((advisor) -> isUnproxied(name, type, advisor) && advisor.getClassFilter().matches(type))
				.forEach((advisor) -> tell(name, type, advisor, policy)));
		}
		this.made.clear();
		this.early.clear();
	}

	private boolean isUnproxied(String name, Class<?> type, Advisor advisor) {
		Object bean = this.beanFactory.getSingleton(name);
		return isEarly(name, type) || (bean != null && !isProxied(bean, type, advisor));
	}

	/** A proxy around a proxy may have the same class, and others make proxies too. */
	private static boolean isProxied(@Nullable Object bean, Class<?> type, Advisor advisor) {
		if (bean instanceof Advised proxy) {
			return proxy.indexOf(advisor) >= 0 || !proxy.getTargetSource().isStatic()
					|| isProxied(AopProxyUtils.getSingletonTarget(bean), type, advisor);
		}
		return bean != null && bean.getClass() != type;
	}

	private boolean isEarly(String name, Class<?> type) {
		return this.early.get(name) == type;
	}

	private void tell(String name, Class<?> type, StaticMethodMatcherPointcutAdvisor advisor, Policy policy) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		String location = LockAnnotation.methods(userClass)
			.filter((method) -> !Proxy.isProxyClass(method.getDeclaringClass()) && advisor.matches(method, type))
			.min(Comparator.comparing(Method::getName))
			.map((method) -> (Proxy.isProxyClass(type) ? method.getDeclaringClass() : userClass).getName() + "."
					+ method.getName())
			.orElse(type.getName());
		LockDefinitionException failure = new LockDefinitionException(location,
				"The bean '%s' has no proxy, so its methods run without their locks: %s.".formatted(name,
						reason(name, type)),
				"Inject an ObjectProvider or a @Lazy argument where it is needed early, make the @Bean method of "
						+ "that bean static, or move the annotated method to another bean. The property "
						+ "'interlock.annotations.unproxied' can be 'warn' or 'ignore'.",
				null);
		if (policy == Policy.FAIL) {
			throw failure;
		}
		logger.warn(failure.getMessage());
	}

	private String reason(String name, Class<?> type) {
		if (!isEarly(name, type)) {
			return "it is an aspect, or another bean that Spring does not proxy";
		}
		String asker = asker(name);
		return "it was created before the beans that create proxies"
				+ (asker.equals(name) ? "" : ", because the bean '%s' needs it".formatted(asker));
	}

	/** Return the last bean in the chain of early beans that need each other. */
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

	/** What to do about an annotated bean without a proxy. */
	public enum Policy {

		FAIL, WARN, IGNORE

	}

}
