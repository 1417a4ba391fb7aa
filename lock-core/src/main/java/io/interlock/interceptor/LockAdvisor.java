package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.LockRequest;
import io.interlock.provider.LockCapabilities;
import io.interlock.template.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;

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
		this(new AnnotationLockDefinitionSource(properties, overrides, beanFactory), beanFactory, operations);
	}

	LockAdvisor(AnnotationLockDefinitionSource source, Supplier<LockOperations> operations) {
		this(source, null, operations);
	}

	private LockAdvisor(AnnotationLockDefinitionSource source, @Nullable BeanFactory beanFactory,
			Supplier<LockOperations> operations) {
		super(new LockInterceptor(source, beanFactory, operations));
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
	 * Take no lock for the methods that are found from now on: they run under a handle
	 * that excludes nothing, and none of them is refused.
	 */
	public void switchOff() {
		this.source.switchOff();
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

}
