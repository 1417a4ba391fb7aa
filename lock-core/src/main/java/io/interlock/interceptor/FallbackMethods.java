package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.interlock.LockException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Methods of the target class for contention and for an outage, {@code null} for none.
 * The method with the last parameter nearest to the exception counts, then the method
 * without.
 */
record FallbackMethods(@Nullable Method notAcquired, @Nullable Method unavailable) {

	static FallbackMethods find(Method method, String name, Class<?> targetClass) {
		List<Method> named = named(name, targetClass);
		Method notAcquired = nearest(named, method, targetClass, LockNotAcquiredException.class);
		Method unavailable = nearest(named, method, targetClass, LockServiceUnavailableException.class);
		if (notAcquired == null && unavailable == null) {
			String others = named.stream().map(FallbackMethods::describe).collect(Collectors.joining(", "));
			throw new LockDefinitionException(method,
					"Its fallback was not found: %s has no method %s, with or without an exception about locks as last parameter%s."
						.formatted(targetClass.getName(), signature(method, name),
								others.isEmpty() ? "" : ", only " + others),
					"Add that method to the class, or correct 'fallback'.", null);
		}
		return new FallbackMethods(notAcquired, unavailable);
	}

	static List<Method> named(String name, Class<?> targetClass) {
		return LockAnnotation.methods(targetClass)
			.filter((method) -> method.getName().equals(name) && !method.isBridge()
					&& !Modifier.isAbstract(method.getModifiers()))
			.toList();
	}

	private static @Nullable Method nearest(List<Method> named, Method method, Class<?> targetClass,
			Class<? extends LockException> failure) {
		return named.stream()
			.filter((candidate) -> !candidate.equals(method) && fits(candidate, method, targetClass)
					&& takes(candidate, parameters(method), failure))
			.min(Comparator.comparingInt((candidate) -> distance(candidate, parameters(method), failure)))
			.orElse(null);
	}

	private static boolean fits(Method candidate, Method method, Class<?> targetClass) {
		int parameters = parameters(method);
		if (parameters(candidate) < parameters
				|| (KotlinDetector.isSuspendingFunction(candidate) && !KotlinDetector.isSuspendingFunction(method))) {
			return false;
		}
		return IntStream.range(0, parameters)
			.allMatch((i) -> ResolvableType.forMethodParameter(candidate, i, targetClass)
				.toClass() == ResolvableType.forMethodParameter(method, i, targetClass).toClass())
				&& ClassUtils.isAssignable(ResolvableType.forMethodReturnType(method, targetClass).toClass(),
						ResolvableType.forMethodReturnType(candidate, targetClass).toClass());
	}

	private static int parameters(Method method) {
		return KotlinDetector.isSuspendingFunction(method) ? method.getParameterCount() - 1
				: method.getParameterCount();
	}

	private static boolean takes(Method candidate, int parameters, Class<?> failure) {
		Class<?>[] types = candidate.getParameterTypes();
		int own = parameters(candidate);
		return own == parameters || (own == parameters + 1 && Throwable.class.isAssignableFrom(types[parameters])
				&& types[parameters].isAssignableFrom(failure));
	}

	private static int distance(Method candidate, int parameters, Class<?> failure) {
		int distance = 0;
		Class<?> type = failure;
		while (type != null
				&& (parameters(candidate) == parameters || type != candidate.getParameterTypes()[parameters])) {
			distance++;
			type = type.getSuperclass();
		}
		return distance;
	}

	private static String describe(Method method) {
		return method.getReturnType().getSimpleName() + " " + LockDefinitionException.describe(method);
	}

	private static String signature(Method method, String name) {
		return Arrays.stream(method.getParameterTypes())
			.limit(parameters(method))
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", "'" + method.getReturnType().getSimpleName() + " " + name + "(", ")'"));
	}

	@Nullable Object answer(MethodInvocation invocation, LockException failure) throws Throwable {
		Method fallback = (failure instanceof LockNotAcquiredException) ? this.notAcquired : this.unavailable;
		if (fallback == null) {
			throw failure;
		}
		int parameters = parameters(invocation.getMethod());
		@Nullable Object[] arguments = Arrays.copyOf(Arrays.copyOf(invocation.getArguments(), parameters),
				fallback.getParameterCount(), Object[].class);
		if (parameters(fallback) > parameters) {
			arguments[parameters] = failure;
		}
		if (KotlinDetector.isSuspendingFunction(fallback)) {
			arguments[arguments.length - 1] = invocation.getArguments()[parameters];
		}
		return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), fallback, arguments);
	}

}
