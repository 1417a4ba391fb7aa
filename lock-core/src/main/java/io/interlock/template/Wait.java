package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.internal.PrintableText;
import io.interlock.provider.LockAttempt;
import org.jspecify.annotations.Nullable;

/** One caller's wait for a lock: its request, its thread, its deadline, its attempt. */
class Wait {

	/** Waits longer than this, a century, are shown without an end. */
	private static final long UNLIMITED_NANOS = TimeUnit.DAYS.toNanos(36500);

	private final LockRequest request;

	private final long limitNanos;

	private final Thread thread = Thread.currentThread();

	private final boolean blocking;

	private final long startedAt = System.nanoTime();

	private volatile @Nullable LockAttempt attempt;

	private volatile boolean stopped;

	Wait(LockRequest request, Duration tryTimeout, boolean blocking) {
		this.request = request;
		this.blocking = blocking;
		Duration waitTime = isForOthers() ? request.waitTime() : tryTimeout;
		this.limitNanos = (waitTime != null) ? TimeUnit.NANOSECONDS.convert(waitTime) : Long.MAX_VALUE;
	}

	final LockRequest request() {
		return this.request;
	}

	final Thread thread() {
		return this.thread;
	}

	/** Return whether the thread waits for other holders, which a single try does not. */
	final boolean isForOthers() {
		return !Duration.ZERO.equals(this.request.waitTime());
	}

	/** Return whether the thread only waits for other holders meanwhile. */
	final boolean blocks(Thread thread) {
		return this.blocking && thread == this.thread && isForOthers();
	}

	final Duration waited() {
		return Duration.ofNanos(System.nanoTime() - this.startedAt);
	}

	final long left() {
		return Math.max(0, this.limitNanos - (System.nanoTime() - this.startedAt));
	}

	final void begun(LockAttempt attempt) {
		this.attempt = attempt;
	}

	final @Nullable LockAttempt attempt() {
		return this.attempt;
	}

	/** Wake the waiter at shutdown. A grant that came first stays. */
	final void stop() {
		LockAttempt begun = this.attempt;
		if (begun != null) {
			this.stopped = true;
			begun.abandon();
		}
	}

	final boolean isBefore(Wait other) {
		return this.startedAt - other.startedAt < 0;
	}

	final boolean isOver() {
		LockAttempt begun = this.attempt;
		return begun != null && begun.outcome().isDone();
	}

	/** Return whether the lock is granted, and its caller about to know. */
	final boolean isGranted() {
		LockAttempt begun = this.attempt;
		return begun != null && begun.outcome().isDone() && !begun.outcome().isCompletedExceptionally()
				&& begun.outcome().join().isPresent();
	}

	/** Return whether the service has told that others have the lock or come first. */
	final boolean isToldOfOthers() {
		LockAttempt begun = this.attempt;
		return begun == null || begun.isToldOfOthers();
	}

	final String waiter() {
		return (this.blocking ? "thread '%s' of this instance" : "an asynchronous call of thread '%s' of this instance")
			.formatted(nameOf(this.thread));
	}

	final boolean isStopped() {
		return this.stopped;
	}

	final LockSnapshot snapshot() {
		Instant since = Instant.now().minus(waited());
		Instant until = (this.limitNanos < UNLIMITED_NANOS) ? since.plusNanos(this.limitNanos) : null;
		return new LockSnapshot(this.request.id(), this.request.mode(), null, false, null, nameOf(this.thread), since,
				List.of(), null, until, null);
	}

	static String nameOf(Thread thread) {
		String name = thread.getName();
		return name.isEmpty() ? "unnamed #" + thread.getId() : PrintableText.of(name);
	}

}
