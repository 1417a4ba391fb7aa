package io.interlock.interceptor;

import java.time.Duration;
import java.util.regex.Pattern;

import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.Assert;

/**
 * Time to wait for a lock in annotations and properties: a duration with a unit
 * ({@code 5s}, {@code PT5S}), {@code 0} to try once, or {@code forever}. A number without
 * a unit is refused. Immutable.
 *
 * @since 0.1.0
 */
public final class WaitTime {

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final String REMEDY = " Write a number and a unit, such as '500ms' or '5s'";

	private static final Pattern DIGIT = Pattern.compile("\\d");

	private final Duration duration;

	private WaitTime(Duration duration) {
		this.duration = duration;
	}

	/**
	 * Parse a wait time. Called by the binder of configuration properties.
	 * @param text the configured text
	 * @return the wait time
	 * @throws IllegalArgumentException if it is no duration, has no unit or is negative
	 */
	public static WaitTime of(String text) {
		try {
			return new WaitTime(parse(text.strip()));
		}
		catch (IllegalArgumentException ex) {
			// Without a cause, because Spring Boot shows the innermost message only.
			throw new IllegalArgumentException(ex.getMessage() + REMEDY + ", '0' or 'forever'.");
		}
	}

	/**
	 * Refuse a duration that is a number without a unit, and not {@code 0}.
	 * @param text the configured text
	 * @throws IllegalArgumentException if it has no unit
	 */
	public static void requireUnit(String text) {
		requireUnit(text.strip(), REMEDY + ".");
	}

	private static void requireUnit(String text, String remedy) {
		if (!text.equals("0") && NUMBER.matcher(text).matches()) {
			throw new IllegalArgumentException("The time '%s' has no unit.%s".formatted(text, remedy));
		}
	}

	/** Parse like {@link #of}. Messages are one sentence, without a remedy. */
	static Duration parse(String text) {
		if (text.equalsIgnoreCase("forever")) {
			return LockRequest.FOREVER;
		}
		if (text.equals("0")) {
			return Duration.ZERO;
		}
		requireUnit(text, "");
		Duration time;
		try {
			Assert.isTrue(DIGIT.matcher(text).find(), "No digit");
			time = DurationFormatterUtils.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("The time '%s' is not a duration.".formatted(text), ex);
		}
		Assert.isTrue(!time.isNegative(), () -> "The time '%s' is negative.".formatted(text));
		return time;
	}

	/** Return the duration, {@link LockRequest#FOREVER} for no limit. */
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
