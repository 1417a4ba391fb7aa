package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.interlock.annotation.LeaderOnly;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Finds annotated methods that the container calls to initialize and to destroy a bean.
 * It calls them on the bean and not on its proxy, so they run without their locks.
 */
final class ContainerCalls implements MergedBeanDefinitionPostProcessor {

	private static final Set<String> CALLBACKS = Set.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy");

	private final BiConsumer<LockDefinitionException, Boolean> found;

	/**
	 * Create an object.
	 * @param found called for each such method, and whether it has the annotation itself
	 */
	ContainerCalls(BiConsumer<LockDefinitionException, Boolean> found) {
		this.found = found;
	}

	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String beanName) {
		Class<?> userClass = ClassUtils.getUserClass(type);
		if (isCandidate(userClass)) {
			List<Method> called = LockAnnotation.methods(userClass)
				.filter((method) -> isCalled(method, definition, userClass))
				.toList();
			called.stream()
				.filter((method) -> isAnnotated(method, userClass) && !isInferred(method, definition, userClass))
				.findFirst()
				.ifPresentOrElse((method) -> tell(method, beanName, true),
						() -> called.stream()
							.filter((method) -> isAnnotated(method, userClass) || isOfAnnotatedType(method, userClass))
							.findFirst()
							.ifPresent((method) -> tell(method, beanName, false)));
		}
	}

	private static boolean isCandidate(Class<?> type) {
		return LockAnnotation.isPresent(type) || LockAnnotation.isPresent(LeaderOnly.class, type);
	}

	private static boolean isLeaderOnly(Method method) {
		return AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class);
	}

	private static boolean isAnnotated(Method method, Class<?> type) {
		LockAnnotation annotation = LockAnnotation.find(method, type);
		return isLeaderOnly(method) || (annotation != null && annotation.onMethod());
	}

	private static boolean isOfAnnotatedType(Method method, Class<?> type) {
		return LockAnnotation.find(method, type) != null && LockMethodRules.takesAnnotationOfType(method);
	}

	private void tell(Method method, String beanName, boolean onMethod) {
		this.found.accept(LockMethodRules.refuse(method,
				"The container calls it on the bean '%s' and not on its proxy, so it runs without its lock."
					.formatted(beanName),
				"Move the code that needs the lock to an ApplicationRunner for the start, or to a SmartLifecycle "
						+ "for the start and the stop. Or use LockTemplate inside the method."),
				onMethod);
	}

	private static boolean isCalled(Method method, RootBeanDefinition definition, Class<?> type) {
		if (isCallback(method)) {
			return true;
		}
		String name = method.getName();
		return method.getParameterCount() == 0 && (ObjectUtils.containsElement(definition.getInitMethodNames(), name)
				|| (name.equals("afterPropertiesSet") && InitializingBean.class.isAssignableFrom(type))
				|| (name.equals("destroy") && DisposableBean.class.isAssignableFrom(type))
				|| isDestroyMethod(name, definition.getDestroyMethodNames(), type));
	}

	private static boolean isCallback(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method);
		return CALLBACKS.stream().anyMatch(annotations::isPresent);
	}

	/** A method named close or shutdown may be one of the business, too. */
	private static boolean isInferred(Method method, RootBeanDefinition definition, Class<?> type) {
		boolean isNamedSo = method.getName().equals("close") || method.getName().equals("shutdown");
		return isNamedSo && !isCallback(method) && !AutoCloseable.class.isAssignableFrom(type)
				&& ObjectUtils.containsElement(definition.getDestroyMethodNames(), AbstractBeanDefinition.INFER_METHOD)
				&& !ObjectUtils.containsElement(definition.getDestroyMethodNames(), method.getName())
				&& !ObjectUtils.containsElement(definition.getInitMethodNames(), method.getName());
	}

	private static boolean isDestroyMethod(String name, String @Nullable [] names, Class<?> type) {
		if (ObjectUtils.isEmpty(names)) {
			return name.equals("close") && AutoCloseable.class.isAssignableFrom(type);
		}
		return Stream.of(names)
			.anyMatch((each) -> each.equals(name) || (each.equals(AbstractBeanDefinition.INFER_METHOD)
					&& name.equals(ClassUtils.hasMethod(type, "close") ? "close" : "shutdown")));
	}

}
