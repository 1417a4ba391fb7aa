package io.interlock.autoconfigure;

import java.time.Duration;

import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.Assert;

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
		String value = text.strip();
		if (value.equalsIgnoreCase("forever")) {
			return new WaitTime(LockRequest.FOREVER);
		}
		if (value.equals("0")) {
			return new WaitTime(Duration.ZERO);
		}
		Assert.isTrue(!value.matches("[+-]?\\d+"),
				() -> "'%s' has no unit: write '%ss' for seconds or '%sms' for milliseconds".formatted(value, value,
						value));
		Duration duration = parse(value);
		Assert.isTrue(!duration.isNegative(),
				() -> "'%s' is negative: write '0' to try once or 'forever' to wait without a limit".formatted(value));
		return new WaitTime(duration);
	}

	private static Duration parse(String value) {
		try {
			return DurationFormatterUtils.detectAndParse(value);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'%s' is no wait time: write a duration such as '5s' or 'PT5S', '0' or 'forever'".formatted(value),
					ex);
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
