package io.interlock.interceptor;

import java.time.Duration;
import java.util.regex.Pattern;

import io.interlock.LockRequest;

import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads times that are written as text, in annotations and in configuration.
 *
 * @since 0.1.0
 */
public final class WaitTimes {

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final Pattern DIGIT = Pattern.compile("\\d");

	private WaitTimes() {
	}

	/**
	 * Read a time: a number with a unit, an ISO-8601 duration, {@code 0}, or
	 * {@code forever}.
	 * @param text the text
	 * @return the time; {@link LockRequest#FOREVER} for one without a limit
	 * @throws IllegalArgumentException if the text is none of these, has no unit or is
	 * negative; the message is a sentence
	 */
	public static Duration parse(String text) {
		if (text.equalsIgnoreCase("forever")) {
			return LockRequest.FOREVER;
		}
		if (text.equals("0")) {
			return Duration.ZERO;
		}
		if (NUMBER.matcher(text).matches()) {
			throw new IllegalArgumentException("The time '%s' has no unit.".formatted(text));
		}
		Duration time = parseWithUnit(text);
		if (time.isNegative()) {
			throw new IllegalArgumentException("The time '%s' is negative.".formatted(text));
		}
		return time;
	}

	private static Duration parseWithUnit(String text) {
		try {
			if (DIGIT.matcher(text).find()) {
				return DurationFormatterUtils.detectAndParse(text);
			}
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("The time '%s' is not a duration.".formatted(text), ex);
		}
		throw new IllegalArgumentException("The time '%s' is not a duration.".formatted(text));
	}

}
