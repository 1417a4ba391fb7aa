package io.interlock.autoconfigure;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.interceptor.WaitTimes;
import org.jspecify.annotations.Nullable;

/**
 * Time to wait for a lock as it is written in properties: a duration with a unit
 * ({@code 5s}, {@code PT5S}), {@code 0} to try once, or {@code forever}. Unlike other
 * durations, a number without a unit is refused: nobody should wait for milliseconds
 * where seconds were meant. Immutable.
 *
 * @since 0.1.0
 */
public final class WaitTime {

	private final Duration duration;

	private WaitTime(Duration duration) {
		this.duration = duration;
	}

	/**
	 * Parse a wait time. Called by the binder of configuration properties.
	 * @param text what is configured
	 * @return the wait time
	 * @throws IllegalArgumentException if the text is no duration, has no unit or is
	 * negative
	 */
	public static WaitTime of(String text) {
		try {
			return new WaitTime(WaitTimes.parse(text.strip()));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					ex.getMessage() + " Write a number and a unit, such as '500ms' or '5s', '0' or 'forever'.", ex);
		}
	}

	/**
	 * Return the wait time as a duration.
	 * @return the duration; {@link LockRequest#FOREVER} for a wait without a limit
	 */
	public Duration duration() {
		return this.duration;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof WaitTime that && this.duration.equals(that.duration);
	}

	@Override
	public int hashCode() {
		return this.duration.hashCode();
	}

	@Override
	public String toString() {
		return this.duration.equals(LockRequest.FOREVER) ? "forever" : this.duration.toString();
	}

}
