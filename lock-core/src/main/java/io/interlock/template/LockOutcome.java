package io.interlock.template;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Whether an action ran under its lock, and what it returned. Immutable.
 *
 * @param acquired whether the lock was acquired, so that the action ran
 * @param value what the action returned, or {@code null} if it did not run
 * @param <T> type of the result
 * @since 0.1.0
 */
public record LockOutcome<T extends @Nullable Object>(boolean acquired, @Nullable T value) {

	private static final LockOutcome<?> NOT_ACQUIRED = new LockOutcome<>(false, null);

	public LockOutcome {
		Assert.isTrue(acquired || value == null, "'value' must be null if the lock was not acquired");
	}

	/** Return that the action ran, and what it returned. */
	public static <T extends @Nullable Object> LockOutcome<T> acquired(T value) {
		return new LockOutcome<>(true, value);
	}

	/** Return that the action did not run, because others hold the lock. */
	@SuppressWarnings("unchecked")
	public static <T extends @Nullable Object> LockOutcome<T> notAcquired() {
		return (LockOutcome<T>) NOT_ACQUIRED;
	}

	/** Return the result, which may be {@code null}, or another value without one. */
	public @Nullable T orElse(@Nullable T other) {
		return this.acquired ? this.value : other;
	}

	@Override
	public String toString() {
		return this.acquired ? "LockOutcome[acquired, value=" + this.value + "]" : "LockOutcome[not acquired]";
	}

}
