package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import io.interlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the lock annotation that applies to a method: its own, then that of its class,
 * then that of an interface method which it implements, then that of the interface. A
 * type passes its annotation to the methods that it declares, and these keep it where
 * they are overridden.
 */
final class LockAnnotationFinder {

	private LockAnnotationFinder() {
	}

	/**
	 * Return whether there is any lock annotation on a class, its superclasses, its
	 * interfaces, and their methods.
	 */
	static boolean isAnnotated(Class<?> targetClass) {
		return hierarchy(targetClass).stream().anyMatch(LockAnnotationFinder::declaresAnnotation);
	}

	private static boolean declaresAnnotation(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return false;
		}
		if (MergedAnnotations.from(type).isPresent(DistributedLock.class)) {
			return true;
		}
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			if (MergedAnnotations.from(method).isPresent(DistributedLock.class)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return the annotation that applies to a method of a class.
	 */
	static @Nullable LockAnnotation find(Method method, Class<?> targetClass) {
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			return LockAnnotation.ofMethod(method);
		}
		List<Method> ofClasses = new ArrayList<>();
		List<Method> ofInterfaces = new ArrayList<>();
		for (Class<?> type : hierarchy(targetClass)) {
			Method declaration = findDeclaration(type, method, targetClass);
			if (declaration != null) {
				(type.isInterface() ? ofInterfaces : ofClasses).add(declaration);
			}
		}
		LockAnnotation found = first(ofClasses, LockAnnotation::ofMethod);
		found = (found != null) ? found : first(ofClasses, LockAnnotation::ofTypeOf);
		found = (found != null) ? found : first(ofInterfaces, LockAnnotation::ofMethod);
		return (found != null) ? found : first(ofInterfaces, LockAnnotation::ofTypeOf);
	}

	private static @Nullable LockAnnotation first(List<Method> methods,
			Function<Method, @Nullable LockAnnotation> reader) {
		return methods.stream().map(reader).filter(Objects::nonNull).findFirst().orElse(null);
	}

	/**
	 * Return a class and its superclasses, from the bottom up, then their interfaces, the
	 * extending ones before the extended ones.
	 */
	static Set<Class<?>> hierarchy(Class<?> targetClass) {
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> type = targetClass; type != null && type != Object.class; type = type.getSuperclass()) {
			types.add(type);
		}
		List<Class<?>> level = List.copyOf(types);
		while (!level.isEmpty()) {
			level = level.stream().<Class<?>>flatMap((type) -> List.of(type.getInterfaces()).stream()).toList();
			// Again at the end where it comes again: below all that extend it.
			level.forEach(types::remove);
			types.addAll(level);
		}
		return types;
	}

	private static @Nullable Method findDeclaration(Class<?> type, Method method, Class<?> targetClass) {
		if (type == method.getDeclaringClass()) {
			return method;
		}
		for (Method candidate : ReflectionUtils.getDeclaredMethods(type)) {
			if (candidate.getName().equals(method.getName()) && ClassUtils.isUserLevelMethod(candidate)
					&& !candidate.isBridge() && !Modifier.isPrivate(candidate.getModifiers())
					&& !Modifier.isStatic(candidate.getModifiers())
					&& hasSameParameters(candidate, method, targetClass)) {
				return candidate;
			}
		}
		return null;
	}

	private static boolean hasSameParameters(Method candidate, Method method, Class<?> targetClass) {
		Class<?>[] expected = method.getParameterTypes();
		if (candidate.getParameterCount() != expected.length) {
			return false;
		}
		for (int i = 0; i < expected.length; i++) {
			if (ResolvableType.forMethodParameter(candidate, i, targetClass).toClass() != expected[i]
					&& candidate.getParameterTypes()[i] != expected[i]) {
				return false;
			}
		}
		return true;
	}

}
