package io.interlock.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;

import io.interlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * The one lock annotation of a method or a type. Every lock annotation is read as the
 * {@link DistributedLock} that it is, is composed of, or is composed of at one remove.
 *
 * @param attributes the merged attributes
 * @param declaration the method that is annotated itself, or to which its type passes the
 * annotation
 * @param onMethod whether the method is annotated itself
 */
record LockAnnotation(MergedAnnotation<DistributedLock> attributes, Method declaration, boolean onMethod) {

	static @Nullable LockAnnotation ofMethod(Method method) {
		MergedAnnotation<DistributedLock> attributes = read(method, MethodNames.describe(method));
		return (attributes != null) ? new LockAnnotation(attributes, method, true) : null;
	}

	static @Nullable LockAnnotation ofTypeOf(Method method) {
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
				throw new LockDefinitionException(location, "It has %d lock annotations.".formatted(found.size()),
						"Keep one of them.", null);
			}
			return found.isEmpty() ? null : found.get(0);
		}
		catch (AnnotationConfigurationException ex) {
			throw new LockDefinitionException(location,
					"Its attributes contradict each other (%s).".formatted(ex.getMessage()),
					"Give each attribute one value; 'value' is short for 'name'.", ex);
		}
	}

}
