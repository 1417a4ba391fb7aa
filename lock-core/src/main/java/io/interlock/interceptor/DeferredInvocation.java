package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.interlock.LockException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.template.LockOperations;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/** Runs methods under a lock until their result is complete, without a thread. */
final class DeferredInvocation {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Flux",
			DeferredInvocation.class.getClassLoader());

	private static final boolean COROUTINES_REACTOR_PRESENT = REACTOR_PRESENT
			&& ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", DeferredInvocation.class.getClassLoader());

	private final Map<Method, Boolean> asyncMethods = new ConcurrentHashMap<>();

	static boolean isFollowed(Method method) {
		return isFollowed(resultType(method));
	}

	static boolean isFollowed(Class<?> type) {
		return isFuture(type) || isPublisher(type);
	}

	static boolean isPublisher(Class<?> type) {
		return REACTOR_PRESENT && ReactorInvocation.isFollowed(type);
	}

	/** Spring makes a {@code Mono} of the result of a suspending function. */
	static Class<?> resultType(Method method) {
		return (COROUTINES_REACTOR_PRESENT && KotlinDetector.isSuspendingFunction(method)) ? Mono.class
				: method.getReturnType();
	}

	static boolean isFuture(Class<?> type) {
		return type == CompletableFuture.class || type == CompletionStage.class;
	}

	/** Return whether a thread of an executor waits for the returned future. */
	static boolean isAsync(Method method) {
		return Future.class.isAssignableFrom(method.getReturnType())
				&& (AnnotatedElementUtils.hasAnnotation(method, Async.class)
						|| AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class));
	}

	boolean isFor(Method method) {
		return isFollowed(method) && !isAwaited(method);
	}

	boolean isAwaited(Method method) {
		return Future.class.isAssignableFrom(method.getReturnType())
				&& this.asyncMethods.computeIfAbsent(method, DeferredInvocation::isAsync);
	}

	/**
	 * Wait until the work of a method is done. How it ended is for its caller. A future
	 * that is cancelled is done while its work may go on, so an interrupt does that only
	 * if there is no lock to keep.
	 * @return the failure of the work, if any
	 * @throws InterruptedException after the end of the work, or at once after a loss
	 */
	static @Nullable Throwable await(@Nullable Object result, BooleanSupplier lost) throws InterruptedException {
		InterruptedException interrupt = null;
		Throwable failure = null;
		while (result instanceof Future<?> future) {
			try {
				future.get();
				break;
			}
			catch (InterruptedException ex) {
				interrupt = ex;
				if (lost.getAsBoolean()) {
					future.cancel(true);
					break;
				}
			}
			catch (ExecutionException | CancellationException ex) {
				// The caller has the same future.
				failure = (ex.getCause() != null) ? ex.getCause() : ex;
				break;
			}
		}
		if (interrupt != null) {
			throw interrupt;
		}
		return failure;
	}

	/** Take the lock now, or on subscription. A skip waits only with a wait time. */
	Object invoke(MethodInvocation invocation, LockDefinition definition, LockRequest request,
			LockOperations operations) {
		return isFuture(resultType(definition.method())) ? invokeFuture(invocation, definition, request, operations)
				: ReactorInvocation.invoke(invocation, definition, request, operations);
	}

	/** Return the answer of a skip or the fallback. Rethrows what neither handles. */
	static @Nullable Object answer(MethodInvocation invocation, LockDefinition definition, Throwable failure)
			throws Throwable {
		if (failure instanceof LockNotAcquiredException refusal && definition.onContention() == ContentionPolicy.SKIP) {
			SkippedCalls.ALL.add(definition, refusal.getMessage());
			return null;
		}
		FallbackMethods fallback = definition.fallback();
		if (fallback != null && (failure instanceof LockNotAcquiredException
				|| failure instanceof LockServiceUnavailableException)) {
			return fallback.answer(invocation, (LockException) failure);
		}
		throw failure;
	}

	private static CompletableFuture<@Nullable Object> invokeFuture(MethodInvocation invocation,
			LockDefinition definition, LockRequest request, LockOperations operations) {
		AtomicBoolean begun = new AtomicBoolean();
		CompletableFuture<@Nullable Object> result = operations.executeAsync(request, (lock) -> {
			begun.set(true);
			return begin(invocation, definition.begin(request.id().key()));
		});
		Assert.state(result != null, () -> notRun(operations, definition));
		CompletableFuture<@Nullable Object> answered = new CompletableFuture<>();
		result.whenComplete((value, failure) -> {
			if (begun.get()) {
				complete(answered, value, failure);
				return;
			}
			try {
				Object instead = answer(invocation, definition,
						(failure != null) ? failure : new IllegalStateException(notRun(operations, definition)));
				CompletionStage<?> stage = (instead != null) ? (CompletionStage<?>) instead
						: CompletableFuture.completedFuture(null);
				stage.whenComplete((other, ex) -> complete(answered, other, ex));
			}
			catch (Throwable ex) {
				answered.completeExceptionally(ex);
			}
		});
		answered.whenComplete((value, failure) -> {
			if (answered.isCancelled()) {
				result.cancel(true);
			}
		});
		return answered;
	}

	static String notRun(LockOperations operations, LockDefinition definition) {
		return ("%s returned without having run %s, as a mock does. Have its stubs call the action, or remove it "
				+ "and set interlock.provider=memory")
			.formatted(operations.getClass().getName(), LockDefinitionException.describe(definition.method()));
	}

	@SuppressWarnings("unchecked")
	private static CompletionStage<@Nullable Object> begin(MethodInvocation invocation,
			Consumer<@Nullable Throwable> run) {
		try {
			CompletionStage<@Nullable Object> stage = (CompletionStage<@Nullable Object>) proceed(invocation);
			if (stage != null) {
				stage.whenComplete((value, failure) -> run.accept(failure));
			}
			return stage;
		}
		catch (Throwable ex) {
			run.accept(ex);
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Proceed on another thread, where AspectJ's advice needs the invocation too. */
	@SuppressWarnings("NullAway") // the result of a method may be null
	static Object proceed(MethodInvocation invocation) throws Throwable {
		return ExposeInvocationInterceptor.INSTANCE.invoke(invocation);
	}

	static <T extends @Nullable Object> void complete(CompletableFuture<T> future, @Nullable T value,
			@Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else {
			future.complete(value);
		}
	}

}
