package io.interlock.interceptor;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.template.LockCallback;
import io.interlock.template.LockOperations;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs methods under the lock that their definition asks for. What a method throws
 * reaches its caller as it is.
 *
 * @since 0.1.0
 */
public class LockInterceptor implements MethodInterceptor {

	private final LockDefinitionSource source;

	private final Supplier<LockOperations> operations;

	/**
	 * Create an interceptor.
	 * @param source tells under which lock a method runs
	 * @param operations takes the locks; asked for when a lock is needed for the first
	 * time
	 */
	public LockInterceptor(LockDefinitionSource source, Supplier<LockOperations> operations) {
		this.source = source;
		this.operations = SingletonSupplier.of(operations);
	}

	@Override
	@SuppressWarnings("NullAway") // blind to type arguments below JDK 22
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target) : null;
		LockDefinition definition = this.source.getLockDefinition(invocation.getMethod(), targetClass);
		if (definition == null || !definition.enabled()) {
			return invocation.proceed();
		}
		LockRequest request = definition.request();
		LockKey key = definition.key();
		if (key != null) {
			request = request.withKey(key.evaluate(invocation));
		}
		LockCallback<@Nullable Object, Throwable> body = (lock) -> invocation.proceed();
		if (definition.onContention() == ContentionPolicy.FAIL) {
			return this.operations.get().execute(request, body);
		}
		return this.operations.get().tryExecute(request, body).orElse(skipped(definition.method().getReturnType()));
	}

	private static @Nullable Object skipped(Class<?> returnType) {
		if (returnType == Optional.class) {
			return Optional.empty();
		}
		if (returnType == OptionalInt.class) {
			return OptionalInt.empty();
		}
		if (returnType == OptionalLong.class) {
			return OptionalLong.empty();
		}
		return (returnType == OptionalDouble.class) ? OptionalDouble.empty() : null;
	}

}
