package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.interlock.LockException;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.LeaderOnly;
import io.interlock.leader.LeaderElection;
import io.interlock.leader.Leadership;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;

/**
 * Invokes methods with {@link LeaderOnly} while this instance leads. Joins their
 * elections once all singletons exist, or with the first call of a later bean, and leaves
 * them with its context.
 *
 * @since 0.1.0
 */
public final class LeaderOnlyAdvisor extends StaticMethodMatcherPointcutAdvisor
		implements SmartInitializingSingleton, DisposableBean {

	/** Just outside {@link LockAdvisor}: an instance that does not lead takes no lock. */
	public static final int DEFAULT_ORDER = LockAdvisor.DEFAULT_ORDER - 1;

	private final transient Supplier<LeaderElection> election;

	private final transient PropertyResolver properties;

	private final transient Map<Class<?>, Map<Method, LeaderOnly>> methods = new ConcurrentHashMap<>();

	private final transient Map<List<String>, Leadership> leaderships = new ConcurrentHashMap<>();

	/**
	 * Create an advisor with the {@link #DEFAULT_ORDER}.
	 * @param election joins elections; called for the first annotated method
	 * @param properties resolves the placeholders in names
	 */
	public LeaderOnlyAdvisor(Supplier<LeaderElection> election, PropertyResolver properties) {
		this.election = election;
		this.properties = properties;
		ClassFilter classFilter = (type) -> !methodsOf(type).isEmpty();
		setClassFilter(classFilter);
		MethodInterceptor interceptor = this::invoke;
		setAdvice(interceptor);
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return annotationOf(method, targetClass) != null;
	}

	private @Nullable LeaderOnly annotationOf(Method method, Class<?> targetClass) {
		return methodsOf(targetClass).get(LockAnnotation.mostSpecific(method, targetClass));
	}

	private Map<Method, LeaderOnly> methodsOf(Class<?> targetClass) {
		return this.methods.computeIfAbsent(ClassUtils.getUserClass(targetClass), LeaderOnlyAdvisor::inspect);
	}

	@SuppressWarnings("NullAway") // cannot infer type arguments that may be null
	private static Map<Method, LeaderOnly> inspect(Class<?> type) {
		if (!LockAnnotation.isPresent(LeaderOnly.class, type)) {
			return Map.of();
		}
		Map<Method, LeaderOnly> found = MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<@Nullable LeaderOnly>) LeaderOnlyAdvisor::annotationOf);
		found.forEach((method, annotation) -> {
			LockMethodRules.check(method, type);
			LockMethodRules.checkSkip(method, annotation.onContention(),
					"@LeaderOnly skips the method on an instance that does not lead unless 'onContention' is FAIL");
		});
		return found;
	}

	private static @Nullable LeaderOnly annotationOf(Method method) {
		LeaderOnly own = AnnotatedElementUtils.findMergedAnnotation(method, LeaderOnly.class);
		return (own != null || !LockMethodRules.takesAnnotationOfType(method)) ? own
				: AnnotatedElementUtils.getMergedAnnotation(method.getDeclaringClass(), LeaderOnly.class);
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.methods.values().forEach((found) -> found.values().forEach(this::join));
	}

	/** Leave the elections, which may belong to a parent context and go on. */
	@Override
	public void destroy() {
		this.leaderships.values().forEach(Leadership::close);
	}

	private Leadership join(LeaderOnly annotation) {
		return this.leaderships.computeIfAbsent(List.of(annotation.value(), annotation.provider()),
				(place) -> this.election.get().join(nameOf(annotation), providerOf(annotation), null));
	}

	private String nameOf(LeaderOnly annotation) {
		return this.properties.resolveRequiredPlaceholders(annotation.value());
	}

	private @Nullable String providerOf(LeaderOnly annotation) {
		String provider = this.properties.resolveRequiredPlaceholders(annotation.provider()).trim();
		return provider.isEmpty() ? null : provider;
	}

	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = invocation.getMethod();
		Class<?> targetClass = LockInterceptor.targetClass(invocation);
		LeaderOnly annotation = annotationOf(method, targetClass);
		if (annotation == null) {
			return invocation.proceed();
		}
		Class<?> type = DeferredInvocation.resultType(LockAnnotation.mostSpecific(method, targetClass));
		if (DeferredInvocation.isPublisher(type)) {
			return ReactorInvocation.invokeWhile(() -> join(annotation).isLeader(), () -> refusal(annotation),
					invocation, type);
		}
		if (join(annotation).isLeader()) {
			return invocation.proceed();
		}
		LockException refusal = refusal(annotation);
		if (DeferredInvocation.isFuture(type)) {
			return (refusal != null) ? CompletableFuture.failedFuture(refusal)
					: CompletableFuture.completedFuture(null);
		}
		if (refusal != null) {
			throw refusal;
		}
		return SkippedCalls.emptyResult(type);
	}

	private @Nullable LockException refusal(LeaderOnly annotation) {
		return (annotation.onContention() == ContentionPolicy.FAIL)
				? this.election.get().refusal(nameOf(annotation), providerOf(annotation)) : null;
	}

}
