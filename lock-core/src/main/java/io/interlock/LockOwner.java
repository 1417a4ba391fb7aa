package io.interlock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.util.Assert;

/**
 * The caller that asks for a lock, captured on its thread. Immutable.
 *
 * @param thread name of the thread
 * @param since when it began to ask, by the wall clock of this machine
 * @param traceId identifier of the trace it runs in, if any
 * @param retries whether the caller asks again because a grant was lost before it could
 * use it, so that it goes first
 * @since 0.1.0
 */
public record LockOwner(String thread, Instant since, @Nullable String traceId, boolean retries) {

	public LockOwner {
		Assert.notNull(thread, "'thread' must not be null");
		Assert.notNull(since, "'since' must not be null");
	}

	/**
	 * Create the owner of a first attempt.
	 * @param thread name of the thread
	 * @param since when it began to ask, by the wall clock of this machine
	 * @param traceId identifier of the trace it runs in, if any
	 */
	public LockOwner(String thread, Instant since, @Nullable String traceId) {
		this(thread, since, traceId, false);
	}

	/**
	 * {@return the calling thread as the owner of a first attempt} The trace is the MDC
	 * entry {@code traceId}, which is where Micrometer Tracing puts it.
	 */
	public static LockOwner current() {
		return new LockOwner(Thread.currentThread().getName(), Instant.now(), MDC.get("traceId"));
	}

	/**
	 * {@return this owner for another attempt, whose last grant was lost before it could
	 * be used} It keeps the time at which it first asked.
	 */
	public LockOwner retrying() {
		return new LockOwner(this.thread, this.since, this.traceId, true);
	}

}
