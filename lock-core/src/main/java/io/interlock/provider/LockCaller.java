package io.interlock.provider;

import java.time.Instant;

import io.interlock.LockOperator;
import io.interlock.LockOperator.OperatorThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.util.Assert;

/**
 * The caller of an acquisition, captured on its thread. Immutable.
 *
 * @param thread name of the thread
 * @param since when it began to ask, by the wall clock of this machine
 * @param traceId identifier of the trace it runs in, if any
 * @param retries whether the caller asks again because a grant was lost before it could
 * use it, so that it goes first
 * @param expectsFree whether a request that does not wait is likely to find the lock
 * free; one that is held is refused in the same way
 * @param operator in whose name the lock is asked for, or {@code null} for a thread of
 * the application
 * @since 0.1.0
 */
public record LockCaller(String thread, Instant since, @Nullable String traceId, boolean retries, boolean expectsFree,
		@Nullable LockOperator operator) {

	public LockCaller {
		Assert.notNull(thread, "'thread' must not be null");
		Assert.notNull(since, "'since' must not be null");
	}

	/** Create a caller of the application that knows nothing of the lock. */
	public LockCaller(String thread, Instant since, @Nullable String traceId, boolean retries) {
		this(thread, since, traceId, retries, false, null);
	}

	/**
	 * {@return the calling thread, for a first attempt} The trace is the MDC entry
	 * {@code traceId}, which is where Micrometer Tracing puts it. An operator has an
	 * {@link OperatorThread}.
	 */
	public static LockCaller current() {
		return new LockCaller(Thread.currentThread().getName(), Instant.now(), MDC.get("traceId"), false, false,
				(Thread.currentThread() instanceof OperatorThread thread) ? thread.operator() : null);
	}

	/**
	 * {@return this caller for another attempt, whose last grant was lost before it could
	 * be used} It keeps the time at which it first asked.
	 */
	public LockCaller retrying() {
		return new LockCaller(this.thread, this.since, this.traceId, true, false, this.operator);
	}

	/** Return this caller for an attempt at a lock that is likely to be free. */
	public LockCaller expectingFree() {
		return new LockCaller(this.thread, this.since, this.traceId, this.retries, true, this.operator);
	}

	/**
	 * Return what stores keep of the caller and views show: the operator, which
	 * {@link LockOperator#of} finds again, or the name of the thread, in quotes if it
	 * reads like an operator.
	 */
	public String text() {
		if (this.operator != null) {
			return this.operator.text();
		}
		return this.thread.startsWith(LockOperator.START) ? "'" + this.thread + "'" : this.thread;
	}

}
