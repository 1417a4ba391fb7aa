package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.provider.LockCapabilities;
import io.interlock.template.LockOperations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Intercepts annotated methods. The class filter checks all methods of a class, so that
 * every wrong annotation fails the start: the method matcher stops at the first match.
 *
 * @since 0.1.0
 */
public class LockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/** Outside advice with the lowest precedence, such as transactions and caches. */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient AnnotationLockDefinitionSource source;

	private final transient Map<Class<?>, Boolean> lockedClasses = new ConcurrentHashMap<>();

	/**
	 * Create an advisor with the {@link #DEFAULT_ORDER}.
	 * @param properties resolves the placeholders in annotations
	 * @param overrides changes to the annotations
	 * @param beanFactory has the beans that keys refer to, or {@code null} without them
	 * @param operations takes the locks; called when a call needs the first one
	 */
	public LockAdvisor(PropertyResolver properties, LockOverrides overrides, @Nullable BeanFactory beanFactory,
			Supplier<LockOperations> operations) {
		this(new AnnotationLockDefinitionSource(properties, overrides, beanFactory), operations);
	}

	LockAdvisor(AnnotationLockDefinitionSource source, Supplier<LockOperations> operations) {
		super(new LockInterceptor(source, operations));
		this.source = source;
		ClassFilter classFilter = this::hasLock;
		setClassFilter(classFilter);
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.getLockDefinition(method, targetClass) != null;
	}

	/**
	 * Refuse methods, found before or later, whose locks the provider cannot serve.
	 * @param capabilities what can be done for a request
	 * @throws LockDefinitionException if the provider cannot serve a method
	 */
	public void checkCapabilities(Function<LockRequest, LockCapabilities> capabilities) {
		this.source.checkCapabilities(capabilities);
	}

	/** Record the runs of jobs that are found from now on. */
	public void recordIn(JobRuns runs) {
		this.source.recordIn(runs);
	}

	/**
	 * Explain why a class cannot have a proxy that is a subclass.
	 * @param type a class for which the creation of a proxy failed
	 * @return the explanation; {@code null} unless the class is final, implements an
	 * interface and has a method with a lock annotation
	 */
	public static @Nullable LockDefinitionException ofFinalClass(Class<?> type) {
		return LockMethodRules.explainFinal(type);
	}

	private boolean hasLock(Class<?> targetClass) {
		Boolean known = this.lockedClasses.get(targetClass);
		if (known == null) {
			known = inspect(targetClass);
			this.lockedClasses.put(targetClass, known);
		}
		return known;
	}

	private boolean inspect(Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		return this.source.isCandidateClass(userClass) && !LockAnnotation.methods(userClass)
			.filter((method) -> !Proxy.isProxyClass(method.getDeclaringClass()) && matches(method, targetClass))
			.toList()
			.isEmpty();
	}

	/**
	 * Finds beans with lock annotations and without a proxy. It notes the beans that the
	 * container makes from before the first {@link BeanPostProcessor} until all
	 * singletons exist. Objects that the container did not make, such as mocks, are
	 * ignored, and later beans have their proxy.
	 */
	public static final class UnproxiedBeans
			implements BeanDefinitionRegistryPostProcessor, SmartInitializingSingleton, Ordered {

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
			Policy policy = this.policy.get();
			if (policy != Policy.IGNORE) {
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

		private void tell(String name, Class<?> type, StaticMethodMatcherPointcutAdvisor advisor, Policy policy) {
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
			if (policy == Policy.FAIL) {
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

}
