package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;

import io.interlock.annotation.ContentionPolicy;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Which methods can run under a lock: those that a proxy sees, and that have done their
 * work when they return.
 */
final class LockMethodRules {

	/**
	 * Types whose work goes on, or only starts, after the method has returned. By name,
	 * because most of them are optional.
	 */
	private static final Set<String> DEFERRED_TYPES = Set.of("java.util.concurrent.Future",
			"java.util.concurrent.CompletionStage", "java.util.concurrent.Flow$Publisher",
			"java.util.stream.BaseStream", "org.reactivestreams.Publisher", "io.reactivex.rxjava3.core.SingleSource",
			"io.reactivex.rxjava3.core.MaybeSource", "io.reactivex.rxjava3.core.CompletableSource",
			"io.reactivex.rxjava3.core.ObservableSource", "io.smallrye.mutiny.Uni", "kotlinx.coroutines.flow.Flow",
			"kotlinx.coroutines.Job");

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private LockMethodRules() {
	}

	/**
	 * Return whether a method takes part in the annotation of its type.
	 */
	static boolean takesAnnotationOfType(Method method) {
		int modifiers = method.getModifiers();
		return !Modifier.isPrivate(modifiers) && !Modifier.isStatic(modifiers)
				&& !ReflectionUtils.isObjectMethod(method) && ClassUtils.isUserLevelMethod(method)
				&& (!Modifier.isFinal(modifiers) || Modifier.isPublic(modifiers));
	}

	static void check(Method method, Class<?> targetClass) {
		checkProxied(method, targetClass);
		checkReturns(method);
	}

	private static void checkProxied(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		for (String modifier : List.of("private", "static", "final")) {
			if (List.of(Modifier.toString(modifiers).split(" ")).contains(modifier)) {
				throw refuse(method, "A %s method cannot be intercepted by a proxy.".formatted(modifier),
						"Remove '%s', or use LockTemplate inside the method.".formatted(modifier));
			}
		}
		if (ReflectionUtils.isObjectMethod(method)) {
			throw refuse(method, "A method of java.lang.Object cannot be locked.",
					"Move what needs the lock to a method of its own.");
		}
		if (!Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers)
				&& !method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName())) {
			throw refuse(method, "A package-private method cannot be intercepted by a proxy of %s in another package."
				.formatted(targetClass.getName()), "Make the method protected or public.");
		}
		if (Modifier.isFinal(targetClass.getModifiers()) && !Proxy.isProxyClass(targetClass)
				&& ClassUtils.getAllInterfacesForClass(targetClass).length == 0) {
			throw refuse(method, "The class %s is final and has no interface, so it cannot have a proxy."
				.formatted(targetClass.getName()), "Remove 'final', or let the class implement an interface.");
		}
	}

	private static void checkReturns(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		if (parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION)) {
			throw refuse(method, "A suspending function goes on after the lock has been released.",
					"Lock a blocking function that it calls, or use LockTemplate.");
		}
		Class<?> type = method.getReturnType();
		if (LockAnnotationFinder.hierarchy(type).stream().anyMatch((each) -> DEFERRED_TYPES.contains(each.getName()))) {
			throw refuse(method,
					"The work behind a %s goes on after the lock has been released.".formatted(type.getSimpleName()),
					"Lock a method that returns the finished result, or use LockTemplate where the work is done.");
		}
	}

	/**
	 * Check that a method whose body is skipped has something to return.
	 * @param origin where the policy comes from, the start of a sentence
	 */
	static void checkSkip(Method method, ContentionPolicy policy, String origin) {
		Class<?> type = method.getReturnType();
		if (policy == ContentionPolicy.SKIP && type.isPrimitive() && type != void.class) {
			throw refuse(method,
					"%s is SKIP, but a skipped method returns null and this one returns %s.".formatted(origin, type),
					"Return %s or an Optional, or use FAIL."
						.formatted(ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()));
		}
	}

	private static LockDefinitionException refuse(Method method, String problem, String remedy) {
		return new LockDefinitionException(MethodNames.describe(method), problem, remedy, null);
	}

}
