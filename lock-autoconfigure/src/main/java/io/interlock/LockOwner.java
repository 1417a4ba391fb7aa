package io.interlock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.util.Assert;

/**
 * Who asks for a lock, captured on the thread that asks.
 *
 * @param thread name of the thread
 * @param since when it began to ask, by the wall clock of this machine
 * @param traceId identifier of the trace it runs in, if any
 * @since 0.1.0
 */
public record LockOwner(String thread, Instant since, @Nullable String traceId) {

	public LockOwner {
		Assert.notNull(thread, "'thread' must not be null");
		Assert.notNull(since, "'since' must not be null");
	}

	/**
	 * Describe the calling thread. The trace is the MDC entry {@code traceId}, which is
	 * where Micrometer Tracing puts it.
	 * @return the owner
	 */
	public static LockOwner current() {
		return new LockOwner(Thread.currentThread().getName(), Instant.now(), MDC.get("traceId"));
	}

}
