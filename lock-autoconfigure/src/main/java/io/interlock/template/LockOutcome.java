package io.interlock.template;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Whether an action ran under its lock, and what it returned. Immutable.
 *
 * @param <T> type of the result
 * @since 0.1.0
 */
public final class LockOutcome<T extends @Nullable Object> {

	private static final LockOutcome<?> NOT_ACQUIRED = new LockOutcome<>(false, null);

	private final boolean acquired;

	private final @Nullable T value;

	private LockOutcome(boolean acquired, @Nullable T value) {
		this.acquired = acquired;
		this.value = value;
	}

	/**
	 * The action ran.
	 * @param value what it returned
	 * @param <T> type of the result
	 * @return the outcome
	 */
	public static <T extends @Nullable Object> LockOutcome<T> acquired(T value) {
		return new LockOutcome<>(true, value);
	}

	/**
	 * The action did not run, because others hold the lock.
	 * @param <T> type of the result
	 * @return the outcome
	 */
	@SuppressWarnings("unchecked")
	public static <T extends @Nullable Object> LockOutcome<T> notAcquired() {
		return (LockOutcome<T>) NOT_ACQUIRED;
	}

	/**
	 * Return whether the lock was acquired, so that the action ran.
	 * @return whether the action ran
	 */
	public boolean acquired() {
		return this.acquired;
	}

	/**
	 * Return the result of the action.
	 * @return the result, or {@code null} if the action did not run
	 */
	public @Nullable T value() {
		return this.value;
	}

	/**
	 * Return the result of the action, or another value if it did not run.
	 * @param other the other value
	 * @return the result, which may be {@code null}, or the other value
	 */
	public @Nullable T orElse(@Nullable T other) {
		return this.acquired ? this.value : other;
	}

	@Override
	public boolean equals(@Nullable Object object) {
		return object instanceof LockOutcome<?> that && this.acquired == that.acquired
				&& Objects.equals(this.value, that.value);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.acquired, this.value);
	}

	@Override
	public String toString() {
		return this.acquired ? "LockOutcome[acquired, value=" + this.value + "]" : "LockOutcome[not acquired]";
	}

}
