package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;

/**
 * Reads lock definitions from {@link io.interlock.annotation.DistributedLock} and
 * everything that is composed of it. The annotation is looked for on
 * <ol>
 * <li>the target method, and the methods of superclasses that it overrides
 * <li>the class that declares one of these
 * <li>the interface method that it implements
 * <li>the interface that declares it
 * </ol>
 * and the first one found counts, whole. Placeholders are resolved, and durations and
 * expressions parsed, once for each method.
 *
 * @since 0.1.0
 */
public class AnnotationLockDefinitionSource implements LockDefinitionSource {

	private static final Log logger = LogFactory.getLog(AnnotationLockDefinitionSource.class);

	private final Map<MethodClassKey, Optional<LockDefinition>> definitions = new ConcurrentHashMap<>();

	private final Set<String> disabledNames = ConcurrentHashMap.newKeySet();

	private final LockDefinitionFactory factory;

	/**
	 * Create a source.
	 * @param properties resolves the placeholders in attributes
	 * @param overrides what is configured beside the annotations
	 * @param beanFactory has the beans that keys refer to, or {@code null} if they do not
	 */
	public AnnotationLockDefinitionSource(PropertyResolver properties, LockOverrides overrides,
			@Nullable BeanFactory beanFactory) {
		this.factory = new LockDefinitionFactory(properties, overrides, new LockKeyParser(beanFactory));
	}

	@Override
	public boolean isCandidateClass(Class<?> targetClass) {
		return LockAnnotationFinder.isAnnotated(targetClass);
	}

	@Override
	public @Nullable LockDefinition getLockDefinition(Method method, @Nullable Class<?> targetClass) {
		if (method.getDeclaringClass() == Object.class) {
			return null;
		}
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<LockDefinition> definition = this.definitions.get(key);
		if (definition == null) {
			definition = Optional.ofNullable(find(method, targetClass));
			this.definitions.put(key, definition);
		}
		return definition.orElse(null);
	}

	private @Nullable LockDefinition find(Method method, @Nullable Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass((targetClass != null) ? targetClass : method.getDeclaringClass());
		// The methods of a JDK proxy are final and know no annotations.
		Method specific = Proxy.isProxyClass(userClass) ? method : AopUtils.getMostSpecificMethod(method, userClass);
		LockAnnotation annotation = LockAnnotationFinder.find(specific, userClass);
		if (annotation == null || (!annotation.onMethod() && !LockMethodRules.takesAnnotationOfType(specific))) {
			return null;
		}
		LockMethodRules.check(specific, userClass);
		LockDefinition definition = this.factory.create(specific, annotation);
		warnIfDisabled(definition);
		return definition;
	}

	private void warnIfDisabled(LockDefinition definition) {
		String name = definition.request().id().name();
		if (!definition.enabled() && this.disabledNames.add(name)) {
			logger.warn("Lock '%s' is disabled by configuration: its methods run without it".formatted(name));
		}
	}

}
