package io.interlock.interceptor;

import java.time.Duration;
import java.util.regex.Pattern;

import io.interlock.LockRequest;

import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads the times to wait that annotations give as text.
 */
final class WaitTimes {

	private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");

	private static final Pattern DIGIT = Pattern.compile("\\d");

	private WaitTimes() {
	}

	/**
	 * Read a time.
	 * @throws IllegalArgumentException if the text is not a time to wait; the message is
	 * a sentence
	 */
	static Duration parse(String text) {
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
