package io.interlock.jdbc;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The texts in a row that are there for people: names, keys and instances. An insert
 * cannot fail because of them: they have at most 255 characters, all printable Latin-1;
 * other characters are escaped as in Java.
 */
final class ReadableText {

	private static final int MAX_LENGTH = 255;

	private static final String CUT = "...";

	private static final Pattern ESCAPE = Pattern.compile("\\\\u(\\p{XDigit}{4})");

	private ReadableText() {
	}

	/**
	 * Return a text as a row holds it. An escaped character is never cut in two.
	 */
	static String of(String text) {
		StringBuilder readable = new StringBuilder(Math.min(text.length(), MAX_LENGTH));
		int end = 0;
		for (int i = 0; i < text.length(); i++) {
			char unit = text.charAt(i);
			String part = isPlain(unit) ? String.valueOf(unit) : "\\u%04x".formatted((int) unit);
			if (readable.length() + part.length() > MAX_LENGTH) {
				return readable.substring(0, end) + CUT;
			}
			readable.append(part);
			if (readable.length() <= MAX_LENGTH - CUT.length() && !isFirstOfTwo(text, i)) {
				end = readable.length();
			}
		}
		return readable.toString();
	}

	/** Return a text as it was, unless it was cut, or had such escapes itself. */
	static String original(String readable) {
		return ESCAPE.matcher(readable)
			.replaceAll((escape) -> Matcher
				.quoteReplacement(String.valueOf((char) HexFormat.fromHexDigits(escape.group(1)))));
	}

	private static boolean isPlain(char unit) {
		return (unit >= ' ' && unit <= '~') || (unit >= '\u00A0' && unit <= '\u00FF');
	}

	private static boolean isFirstOfTwo(String text, int index) {
		return index + 1 < text.length() && Character.isSurrogatePair(text.charAt(index), text.charAt(index + 1));
	}

}
