package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Selects the methods that have a lock. The class filter asks for every method of a class
 * at once, so that a wrong annotation fails the start whether or not a proxy happens to
 * look at that method: the method matcher is done after the first match.
 */
final class LockDefinitionPointcut extends StaticMethodMatcherPointcut {

	private final LockDefinitionSource source;

	private final Map<Class<?>, Boolean> lockedClasses = new ConcurrentHashMap<>();

	LockDefinitionPointcut(LockDefinitionSource source) {
		this.source = source;
		ClassFilter classFilter = this::hasLock;
		setClassFilter(classFilter);
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
		for (Class<?> type : LockAnnotationFinder.hierarchy(userClass)) {
			if (Proxy.isProxyClass(type)) {
				continue;
			}
			for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
				found |= ClassUtils.isUserLevelMethod(method)
						&& this.source.getLockDefinition(method, targetClass) != null;
			}
		}
		return found;
	}

}
