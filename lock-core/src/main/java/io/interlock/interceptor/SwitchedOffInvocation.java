package io.interlock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods whose lock is switched off, on the thread of their caller. They have a
 * handle as if they held the lock, from locks that exclude nothing and that no listener
 * hears of. Nothing about the lock refuses the call, not even a key without a value.
 */
final class SwitchedOffInvocation {

	private static final Log logger = LogFactory.getLog(SwitchedOffInvocation.class);

	private final LockOperations operations = new LockTemplate(
			InMemoryLockProvider.excludingNothing(), new LockSettings(Duration.ZERO, Map.of(), Duration.ofSeconds(1),
					Duration.ZERO, Integer.MAX_VALUE, false, LockSettings.OnEventLoop.WARN),
			new HeldLocks(), List.of());

	@SuppressWarnings("NullAway") // blind to type arguments below JDK 22
	@Nullable Object invoke(MethodInvocation invocation, LockDefinition definition) throws Throwable {
		List<LockRequest> requests = requests(invocation, definition);
		if (requests.size() != 1) {
			return this.operations.executeAll(requests, (locks) -> invocation.proceed());
		}
		LockRequest request = requests.get(0);
		if (DeferredInvocation.isPublisher(DeferredInvocation.resultType(definition.method()))) {
			return ReactorInvocation.invokeUnder(() -> this.operations.acquire(request), invocation, definition);
		}
		return proceed(invocation, this.operations.acquire(request));
	}

	private static @Nullable Object proceed(MethodInvocation invocation, LockHandle lock) throws Throwable {
		boolean deferred = false;
		try {
			Object result = invocation.proceed();
			if (result instanceof CompletionStage<?> stage) {
				deferred = true;
				lock.detach();
				stage.whenComplete((value, failure) -> lock.close());
			}
			return result;
		}
		finally {
			if (!deferred) {
				lock.close();
			}
		}
	}

	private static List<LockRequest> requests(MethodInvocation invocation, LockDefinition definition) {
		LockRequest request = definition.requestSwitchedOff();
		try {
			LockKeyExpression key = definition.key();
			if (key != null) {
				return List.of(request.withKey(key.evaluate(invocation)));
			}
			List<LockRequest> several = LockKeyExpression.evaluateAll(definition.keys(), invocation)
				.stream()
				.map(request::withKey)
				.toList();
			return several.isEmpty() ? List.of(request) : several;
		}
		catch (RuntimeException ex) {
			logger.debug("%s runs without a key, because its lock is switched off"
				.formatted(LockDefinitionException.describe(definition.method())), ex);
		}
		return List.of(request);
	}

}
