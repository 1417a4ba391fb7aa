package io.interlock.interceptor;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

import io.interlock.internal.LogPace;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Logs skipped calls, at INFO once an hour for each name. Thread-safe. */
final class SkippedCalls {

	/** Results of skipped methods, by return type; {@code null} for others. */
	private static final Map<Class<?>, Object> EMPTY_RESULTS = Map.of(Optional.class, Optional.empty(),
			OptionalInt.class, OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	static final SkippedCalls ALL = new SkippedCalls(System::nanoTime);

	private static final Log logger = LogFactory.getLog("io.interlock.interceptor.LockInterceptor");

	/** By the names of locks. */
	private final LogPace<String> pace;

	SkippedCalls(LongSupplier nanoTime) {
		this.pace = new LogPace<>(Duration.ofHours(1), nanoTime);
	}

	void add(LockDefinition definition, @Nullable String reason) {
		String method = LockDefinitionException.describe(definition.method());
		if (logger.isDebugEnabled()) {
			logger.debug("Skipped %s: %s".formatted(method, reason));
		}
		String name = definition.request().id().name();
		this.pace.next(name)
			.ifPresent((others) -> logger
				.info(("Skipped %s, because others hold lock '%s': %d skipped since the last such message, which is "
						+ "logged once an hour")
					.formatted(method, name, others + 1)));
	}

	static @Nullable Object emptyResult(Class<?> returnType) {
		return EMPTY_RESULTS.get(returnType);
	}

}
