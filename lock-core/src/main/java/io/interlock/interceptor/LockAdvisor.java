package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.aopalliance.aop.Advice;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Puts the {@link LockInterceptor} around the methods that have a lock. The class filter
 * asks for every method of a class at once, so that a wrong annotation fails the start
 * whether or not a proxy happens to look at that method: the method matcher is done after
 * the first match.
 *
 * @since 0.1.0
 */
public class LockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/**
	 * Outside everything that has the lowest precedence, such as transactions and caches:
	 * a lock is taken before and released after them.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient LockDefinitionSource source;

	private final transient Map<Class<?>, Boolean> lockedClasses = new ConcurrentHashMap<>();

	/**
	 * Create an advisor with the {@link #DEFAULT_ORDER}.
	 * @param source tells which methods have a lock
	 * @param advice what to do about it
	 */
	public LockAdvisor(LockDefinitionSource source, Advice advice) {
		super(advice);
		this.source = source;
		ClassFilter classFilter = this::hasLock;
		setClassFilter(classFilter);
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.getLockDefinition(method, targetClass) != null;
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
		if (!this.source.isCandidateClass(userClass)) {
			return false;
		}
		boolean found = false;
		for (Class<?> type : LockAnnotation.hierarchy(userClass)) {
			if (Proxy.isProxyClass(type)) {
				continue;
			}
			for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
				found |= ClassUtils.isUserLevelMethod(method) && matches(method, targetClass);
			}
		}
		return found;
	}

}
