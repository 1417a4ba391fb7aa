package io.interlock.interceptor;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.interlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The lock annotation of a method: the first one of the method and the methods that it
 * overrides, the classes that declare them, the interface methods that it implements, and
 * their interfaces. A type passes its annotation to the methods that it declares, also
 * where they are overridden. Lock annotations are read as {@link DistributedLock}.
 *
 * @param declaration the annotated method, or the method of the annotated type
 */
record LockAnnotation(MergedAnnotation<DistributedLock> attributes, Method declaration, boolean onMethod) {

	static boolean isPresent(Class<?> targetClass) {
		return isPresent(DistributedLock.class, targetClass);
	}

	/**
	 * Return whether a type of a hierarchy, or one of its methods, has an annotation.
	 * Each bean is asked, so each method is read by itself: a search through the methods
	 * that it overrides would read the hierarchy once for each of them.
	 */
	static boolean isPresent(Class<? extends Annotation> annotation, Class<?> targetClass) {
		return hierarchy(targetClass).stream()
			.filter((type) -> AnnotationUtils.isCandidateClass(type, annotation))
			.flatMap((type) -> Stream.concat(Stream.of(type), Arrays.stream(ReflectionUtils.getDeclaredMethods(type))))
			.anyMatch((element) -> MergedAnnotations.from(element).isPresent(annotation));
	}

	/** The methods of a JDK proxy are final and know no annotations. */
	static Method mostSpecific(Method method, Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) ? method : AopUtils.getMostSpecificMethod(method, targetClass);
	}

	static @Nullable LockAnnotation find(Method method, Class<?> targetClass) {
		if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
			return ofMethod(method);
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

	private static @Nullable LockAnnotation ofMethod(Method method) {
		MergedAnnotation<DistributedLock> attributes = read(method, LockDefinitionException.describe(method));
		return (attributes != null) ? new LockAnnotation(attributes, method, true) : null;
	}

	private static @Nullable LockAnnotation ofTypeOf(Method method) {
		Class<?> type = method.getDeclaringClass();
		MergedAnnotation<DistributedLock> attributes = read(type, type.getName());
		return (attributes != null) ? new LockAnnotation(attributes, method, false) : null;
	}

	private static @Nullable MergedAnnotation<DistributedLock> read(AnnotatedElement element, String location) {
		try {
			List<MergedAnnotation<DistributedLock>> found = MergedAnnotations.from(element)
				.stream(DistributedLock.class)
				.toList();
			if (found.size() > 1) {
				throw new LockDefinitionException(location,
						"It has %d lock annotations: %s.".formatted(found.size(), names(found)), "Keep one of them.",
						null);
			}
			return found.isEmpty() ? null : found.get(0);
		}
		catch (AnnotationConfigurationException ex) {
			throw new LockDefinitionException(location,
					"Its attributes contradict each other (%s).".formatted(ex.getMessage()),
					"Give each attribute one value; 'value' is short for 'name'.", ex);
		}
	}

	private static String names(List<MergedAnnotation<DistributedLock>> annotations) {
		return annotations.stream()
			.map((each) -> "@" + each.getRoot().getType().getSimpleName())
			.distinct()
			.collect(Collectors.joining(", "));
	}

	/** Return the methods that users have written in a hierarchy. */
	static Stream<Method> methods(Class<?> targetClass) {
		return hierarchy(targetClass).stream()
			.flatMap((type) -> Stream.of(ReflectionUtils.getDeclaredMethods(type)))
			.filter(ClassUtils::isUserLevelMethod);
	}

	/** Return a class, its superclasses, then interfaces, extending ones first. */
	static Set<Class<?>> hierarchy(Class<?> targetClass) {
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> type = targetClass; type != null && type != Object.class; type = type.getSuperclass()) {
			types.add(type);
		}
		List<Class<?>> level = List.copyOf(types);
		while (!level.isEmpty()) {
			level = level.stream().<Class<?>>flatMap((type) -> Stream.of(type.getInterfaces())).toList();
			// Repeated interfaces move to the end, behind all interfaces that extend
			// them.
			level.forEach(types::remove);
			types.addAll(level);
		}
		return types;
	}

	private static @Nullable Method findDeclaration(Class<?> type, Method method, Class<?> targetClass) {
		if (type == method.getDeclaringClass()) {
			return method;
		}
		return Stream.of(ReflectionUtils.getDeclaredMethods(type))
			.filter((candidate) -> candidate.getName().equals(method.getName())
					&& ClassUtils.isUserLevelMethod(candidate) && !candidate.isBridge()
					&& !Modifier.isPrivate(candidate.getModifiers()) && !Modifier.isStatic(candidate.getModifiers())
					&& hasSameParameters(candidate, method, targetClass))
			.findFirst()
			.orElse(null);
	}

	private static boolean hasSameParameters(Method candidate, Method method, Class<?> targetClass) {
		Class<?>[] expected = method.getParameterTypes();
		return candidate.getParameterCount() == expected.length && IntStream.range(0, expected.length)
			.allMatch((i) -> candidate.getParameterTypes()[i] == expected[i]
					|| ResolvableType.forMethodParameter(candidate, i, targetClass).toClass() == expected[i]);
	}

}
