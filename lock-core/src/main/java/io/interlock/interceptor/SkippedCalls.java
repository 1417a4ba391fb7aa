package io.interlock.interceptor;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

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

	private final Map<String, Count> counts = new ConcurrentHashMap<>();

	private final LongSupplier nanoTime;

	SkippedCalls(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	void add(LockDefinition definition, @Nullable String reason) {
		String method = LockDefinitionException.describe(definition.method());
		if (logger.isDebugEnabled()) {
			logger.debug("Skipped %s: %s".formatted(method, reason));
		}
		String name = definition.request().id().name();
		long now = this.nanoTime.getAsLong();
		Count count = this.counts.merge(name, new Count(1, now, true),
				(before, one) -> (now - before.toldAt >= TimeUnit.HOURS.toNanos(1))
						? new Count(before.told ? 1 : before.skipped + 1, now, true)
						: new Count(before.told ? 1 : before.skipped + 1, before.toldAt, false));
		if (count.told) {
			logger.info(
					"Skipped %s, because others hold lock '%s': %d skipped since the last such line, which comes once an hour"
						.formatted(method, name, count.skipped));
		}
	}

	static @Nullable Object emptyResult(Class<?> returnType) {
		return EMPTY_RESULTS.get(returnType);
	}

	private record Count(long skipped, long toldAt, boolean told) {

	}

}
