package io.interlock.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.template.LockCallback;
import io.interlock.template.LockOperations;
import io.interlock.template.LockOutcome;
import io.interlock.template.LocksCallback;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

/** Runs methods under their lock, or their fallback without it. */
final class LockInterceptor implements MethodInterceptor {

	private final AnnotationLockDefinitionSource source;

	private final Supplier<LockOperations> operations;

	private final DeferredInvocation deferred = new DeferredInvocation();

	private final Supplier<SwitchedOffInvocation> switchedOff = SingletonSupplier.of(SwitchedOffInvocation::new);

	private final MissedRuns missedRuns = new MissedRuns();

	private final OwnTransaction ownTransaction;

	LockInterceptor(AnnotationLockDefinitionSource source, @Nullable BeanFactory beanFactory,
			Supplier<LockOperations> operations) {
		this.source = source;
		this.ownTransaction = new OwnTransaction(this, beanFactory);
		this.operations = SingletonSupplier.of(operations);
	}

	@Override
	@SuppressWarnings("NullAway") // blind to type arguments below JDK 22
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockDefinition definition = this.source.getLockDefinition(invocation.getMethod(), targetClass(invocation));
		if (definition == null) {
			return invocation.proceed();
		}
		if (!definition.enabled()) {
			return this.switchedOff.get().invoke(invocation, definition);
		}
		AtomicBoolean begun = new AtomicBoolean();
		try {
			return definition.keys().isEmpty() ? invoke(invocation, definition, begun)
					: invokeUnderAll(invocation, definition, begun);
		}
		catch (LockNotAcquiredException | LockServiceUnavailableException ex) {
			FallbackMethods fallback = definition.fallback();
			if (fallback != null && !begun.get()) {
				return fallback.answer(invocation, ex);
			}
			if (ex instanceof LockServiceUnavailableException outage && !begun.get() && MissedRuns.skips(definition)) {
				this.missedRuns.add(definition, outage);
				return emptyResult(definition);
			}
			throw ex;
		}
	}

	/**
	 * The target behind a proxy may lack its interfaces, as that of a repository does.
	 */
	static Class<?> targetClass(MethodInvocation invocation) {
		Class<?> declaringClass = invocation.getMethod().getDeclaringClass();
		Object target = invocation.getThis();
		if (target == null) {
			return declaringClass;
		}
		Class<?> targetClass = AopUtils.getTargetClass(target);
		return declaringClass.isAssignableFrom(targetClass) ? targetClass : target.getClass();
	}

	@SuppressWarnings("NullAway") // blind to type arguments below JDK 22
	private @Nullable Object invoke(MethodInvocation invocation, LockDefinition definition, AtomicBoolean begun)
			throws Throwable {
		LockKeyExpression key = definition.key();
		LockRequest now = this.ownTransaction.released(definition.requestNow(), invocation);
		LockRequest request = (key != null) ? now.withKey(key.evaluate(invocation)) : now;
		LockOperations operations = this.operations.get();
		if (this.deferred.isFor(definition.method())) {
			return this.deferred.invoke(invocation, definition, request, operations);
		}
		LockCallback<@Nullable Object, Throwable> body = (lock) -> {
			begun.set(true);
			return proceed(invocation, definition, request.id().key(), lock::isLost);
		};
		if (definition.onContention() == ContentionPolicy.FAIL) {
			Object result = operations.execute(request, body);
			checkRun(begun.get(), operations, definition);
			return result;
		}
		LockOutcome<@Nullable Object> outcome = operations.tryExecute(request, body);
		checkRun(begun.get() || isRefused(outcome), operations, definition);
		return outcome.acquired() ? outcome.value()
				: skipped(definition, "others hold lock %s".formatted(request.id()));
	}

	@SuppressWarnings("NullAway") // blind to type arguments below JDK 22
	private @Nullable Object invokeUnderAll(MethodInvocation invocation, LockDefinition definition, AtomicBoolean begun)
			throws Throwable {
		List<String> keys = LockKeyExpression.evaluateAll(definition.keys(), invocation);
		LockRequest request = this.ownTransaction.released(definition.requestNow(), invocation);
		LockOperations operations = this.operations.get();
		LocksCallback<@Nullable Object, Throwable> body = (locks) -> {
			begun.set(true);
			return proceed(invocation, definition, String.join(", ", keys),
					() -> locks.handles().stream().anyMatch(LockHandle::isLost));
		};
		List<LockRequest> requests = keys.stream().map(request::withKey).toList();
		if (definition.onContention() == ContentionPolicy.FAIL) {
			Object result = operations.executeAll(requests, body);
			checkRun(begun.get(), operations, definition);
			return result;
		}
		LockOutcome<@Nullable Object> outcome = operations.tryExecuteAll(requests, body);
		checkRun(begun.get() || isRefused(outcome), operations, definition);
		return outcome.acquired() ? outcome.value() : skipped(definition,
				"others hold one of the locks %s".formatted(requests.stream().map(LockRequest::id).toList()));
	}

	private @Nullable Object proceed(MethodInvocation invocation, LockDefinition definition, @Nullable String key,
			BooleanSupplier lost) throws Throwable {
		this.missedRuns.answered(definition);
		Consumer<@Nullable Throwable> run = definition.begin(key);
		Throwable failure = null;
		try {
			Object result = invocation.proceed();
			if (this.deferred.isAwaited(definition.method())) {
				failure = DeferredInvocation.await(result, lost);
			}
			return result;
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			run.accept(failure);
		}
	}

	/** There is none if the lock operations are a mock. */
	private static boolean isRefused(@Nullable LockOutcome<?> outcome) {
		return outcome != null && !outcome.acquired();
	}

	private static void checkRun(boolean run, LockOperations operations, LockDefinition definition) {
		Assert.state(run, () -> DeferredInvocation.notRun(operations, definition));
	}

	private @Nullable Object skipped(LockDefinition definition, String reason) {
		this.missedRuns.answered(definition);
		SkippedCalls.ALL.add(definition, reason);
		return emptyResult(definition);
	}

	private @Nullable Object emptyResult(LockDefinition definition) {
		return this.deferred.isAwaited(definition.method()) ? CompletableFuture.completedFuture(null)
				: SkippedCalls.emptyResult(definition.method().getReturnType());
	}

}
