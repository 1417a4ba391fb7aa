package io.interlock.interceptor;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

import io.interlock.LossPolicy;
import io.interlock.annotation.ContentionPolicy;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.Nullness;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** A proxy intercepts a method, whose work ends with it or with its result. */
final class LockMethodRules {

	private static final List<String> RETRIES = List.of("org.springframework.resilience.annotation.Retryable",
			"org.springframework.retry.annotation.Retryable");

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final String UNIT = "kotlin.Unit";

	private LockMethodRules() {
	}

	static boolean takesAnnotationOfType(Method method) {
		int modifiers = method.getModifiers();
		return !Modifier.isPrivate(modifiers) && !Modifier.isStatic(modifiers)
				&& !ReflectionUtils.isObjectMethod(method) && ClassUtils.isUserLevelMethod(method)
				&& (!Modifier.isFinal(modifiers) || Modifier.isPublic(modifiers));
	}

	static void check(Method method, Class<?> targetClass) {
		checkProxied(method, targetClass);
		checkReturns(method, targetClass);
	}

	private static void checkProxied(Method method, Class<?> targetClass) {
		// All methods of a JDK proxy are final, and intercepted through its interfaces.
		int modifiers = Proxy.isProxyClass(method.getDeclaringClass()) ? Modifier.PUBLIC : method.getModifiers();
		for (String modifier : List.of("private", "static", "final")) {
			if (List.of(Modifier.toString(modifiers).split(" ")).contains(modifier)) {
				throw refuse(method, "A %s method cannot be intercepted by a proxy.".formatted(modifier),
						"Remove '%s', or use LockTemplate inside the method.".formatted(modifier));
			}
		}
		if (ReflectionUtils.isObjectMethod(method)) {
			throw refuse(method, "A method of java.lang.Object cannot be locked.",
					"Move the code that needs the lock to a separate method.");
		}
		if (!Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers)
				&& !method.getDeclaringClass().getPackageName().equals(targetClass.getPackageName())) {
			throw refuse(method, "A package-private method cannot be intercepted by a proxy of %s in another package."
				.formatted(targetClass.getName()), "Make the method protected or public.");
		}
		if (Modifier.isFinal(targetClass.getModifiers()) && !Proxy.isProxyClass(targetClass)
				&& ClassUtils.getAllInterfacesForClass(targetClass).length == 0) {
			throw refuse(method, "The class %s is final and has no interface, so it cannot have a proxy."
				.formatted(targetClass.getName()), remedy(targetClass));
		}
	}

	static @Nullable LockDefinitionException explainFinal(Class<?> type) {
		Method locked = Modifier.isFinal(type.getModifiers()) ? lockedMethod(type) : null;
		Class<?>[] interfaces = ClassUtils.getAllInterfacesForClass(type);
		if (locked == null || interfaces.length == 0) {
			return null;
		}
		return new LockDefinitionException(locked,
				"The %s %s is final, so it cannot have a proxy that is a subclass."
					.formatted(type.isRecord() ? "record" : "class", type.getName()),
				("%s Or keep it as it is: annotate it with @Proxyable(ProxyType.INTERFACES) and inject it as a %s, "
						+ "which must declare the locked methods.")
					.formatted(remedy(type), interfaces[0].getSimpleName()),
				null);
	}

	private static String remedy(Class<?> type) {
		return type.isRecord()
				? "Move the method out of the record into a class that is not final, or use LockTemplate inside the method."
				: "Remove 'final' (in Kotlin: 'open' the class, or use the compiler's plugin for Spring), or use LockTemplate "
						+ "inside the method.";
	}

	private static @Nullable Method lockedMethod(Class<?> type) {
		return LockAnnotation.methods(type)
			.filter((method) -> LockAnnotation.find(method, type) != null)
			.findFirst()
			.orElse(null);
	}

	private static void checkReturns(Method method, Class<?> targetClass) {
		Class<?>[] parameters = method.getParameterTypes();
		boolean suspending = parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION);
		boolean followed = DeferredInvocation.isFollowed(method);
		if (suspending && !followed) {
			throw refuse(method,
					"A suspending function can be locked only with Reactor and 'kotlinx-coroutines-reactor' on the class path.",
					"Add the dependency org.jetbrains.kotlinx:kotlinx-coroutines-reactor.");
		}
		ResolvableType returned = suspending ? suspendedType(method)
				: ResolvableType.forMethodReturnType(method, targetClass);
		Class<?> type = returned.toClass();
		boolean ends = (followed && !suspending) || DeferredInvocation.isAsync(method);
		if (!ends && DeferredTypes.include(type)) {
			throw refuse(method, "The work behind a %s continues after the lock is released.".formatted(type
				.getSimpleName()), (!suspending && DeferredInvocation.isFollowed(type))
						? "Override the method in %s with this return type, so that the lock covers the work."
							.formatted(targetClass.getSimpleName())
						: "Return the finished result, a CompletableFuture, a Mono or a Flux, or use LockTemplate where the work is done.");
		}
		DeferredTypes.within(returned).ifPresent((work) -> {
			throw refuse(method,
					"The work behind a %s in a %s continues after the lock is released.".formatted(work.getSimpleName(),
							type.getSimpleName()),
					"Wait for the work in the method, return a CompletableFuture, a Mono or a Flux of finished results, "
							+ "or use LockTemplate where the work is done.");
		});
	}

	private static ResolvableType suspendedType(Method method) {
		return ResolvableType.forMethodParameter(method, method.getParameterCount() - 1).getGeneric(0);
	}

	static void checkPeriod(Method method, boolean periodic, LockDefinition.Schedule schedule) {
		if (periodic && !schedule.hasPeriod()) {
			throw refuse(method, "'minHold' is \"period\", but the method has no @Scheduled with a period.",
					"Add @Scheduled with 'cron', 'fixedRate' or 'fixedDelay', or write a number and a unit in 'minHold'.");
		}
	}

	static void checkLoss(Method method, LossPolicy policy) {
		if (policy == LossPolicy.INTERRUPT && DeferredInvocation.isFollowed(method)
				&& !DeferredInvocation.isAsync(method)) {
			throw refuse(method,
					"'onLoss' is INTERRUPT, but the work behind a %s has no thread that could be interrupted."
						.formatted(method.getReturnType().getSimpleName()),
					"Use FAIL, and LockHandle.onLoss to stop the work at once.");
		}
	}

	static void checkKeys(Method method) {
		if (DeferredInvocation.isFollowed(method) && !DeferredInvocation.isAsync(method)) {
			throw refuse(method,
					"'keys' asks for several locks, which are held by a thread, and the work behind a %s has none."
						.formatted(DeferredInvocation.resultType(method).getSimpleName()),
					"Return the finished result, add @Async, or use one 'key'.");
		}
	}

	/** Check that a skipped method has a result; {@code reason} starts a sentence. */
	static void checkSkip(Method method, ContentionPolicy policy, String reason) {
		if (policy != ContentionPolicy.SKIP) {
			return;
		}
		Class<?> type = method.getReturnType();
		if (type.isPrimitive() && type != void.class) {
			throw refuse(method,
					"%s, but a skipped method returns null and this one returns %s.".formatted(reason, type),
					"Return %s or an Optional, or use FAIL."
						.formatted(ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName()));
		}
		if (isNeverNullInKotlin(method)) {
			throw refuse(method,
					"%s, but a skipped function returns null and this one has a return type that is not nullable."
						.formatted(reason),
					"Make the return type nullable, as in 'Report?', or use FAIL.");
		}
	}

	private static boolean isNeverNullInKotlin(Method method) {
		if (!KotlinDetector.isKotlinReflectPresent() || !KotlinDetector.isKotlinType(method.getDeclaringClass())
				|| Nullness.forMethodReturnType(method) != Nullness.NON_NULL) {
			return false;
		}
		if (KotlinDetector.isSuspendingFunction(method)) {
			return !suspendedType(method).toClass().getName().equals(UNIT);
		}
		Class<?> type = method.getReturnType();
		boolean hasEmptyResult = DeferredInvocation.isFollowed(method) || DeferredInvocation.isAsync(method)
				|| SkippedCalls.emptyResult(type) != null;
		return type != void.class && !type.getName().equals(UNIT) && !hasEmptyResult;
	}

	/** An aspect that retries would take a skipped attempt for a success. */
	static void checkRetries(Method method, Class<?> targetClass, ContentionPolicy policy, @Nullable Duration minHold) {
		boolean skipped = policy == ContentionPolicy.SKIP && minHold != null && !minHold.isZero();
		if (skipped && RETRIES.stream()
			.anyMatch((retry) -> isAnnotated(method, retry) || isAnnotated(targetClass, retry))) {
			throw refuse(method,
					"It is @Retryable, and 'minHold' keeps the lock when its first attempt fails: with SKIP, the second one "
							+ "would be skipped and look like success.",
					"Omit 'minHold', use FAIL, or retry inside the method.");
		}
	}

	private static boolean isAnnotated(AnnotatedElement element, String type) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(type);
	}

	static void checkFallback(Method method, String fallback, ContentionPolicy declared) {
		if (declared == ContentionPolicy.SKIP && !fallback.isEmpty()) {
			throw refuse(method,
					"'onContention' is SKIP, so the fallback '%s' would not be called when others hold the lock."
						.formatted(fallback),
					"Remove one of the two.");
		}
	}

	static LockDefinitionException refuse(Method method, String problem, String remedy) {
		return new LockDefinitionException(method, problem, remedy, null);
	}

}
