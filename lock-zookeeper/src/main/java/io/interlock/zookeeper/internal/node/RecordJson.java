package io.interlock.zookeeper.internal.node;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.json.JsonWriter;
import org.springframework.util.Assert;

/**
 * Flat JSON objects in the data of nodes. Boot's {@link JsonWriter} writes them; they are
 * ASCII, so that {@code zkCli.sh} shows them everywhere.
 * <p>
 * Boot's parsers do not read them: the basic one takes a brace within a text for
 * structure and drops escapes, and which other one is found depends on the application.
 *
 * @since 0.1.0
 */
public final class RecordJson {

	/** Ends a text that was cut. */
	public static final String CUT = "...";

	private static final int MAX_LENGTH = 4096;

	private static final String TEXT = "\"((?:[^\"\\\\]++|\\\\.)*+)\"";

	private static final Pattern MEMBER = Pattern
		.compile("\\G\\s*([{,])\\s*" + TEXT + "\\s*:\\s*(?:" + TEXT + "|(true|false|null|-?\\d[\\d.eE+-]*))\\s*");

	private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");

	private static final Pattern ESCAPE = Pattern.compile("\\\\(u\\p{XDigit}{4}|.)", Pattern.DOTALL);

	private static final HexFormat HEX = HexFormat.of();

	private RecordJson() {
	}

	/** Write an object as one line of ASCII. */
	public static <T> String write(JsonWriter<T> writer, T value) {
		String json = writer.writeToString(value);
		if (StandardCharsets.US_ASCII.newEncoder().canEncode(json)) {
			return json;
		}
		StringBuilder ascii = new StringBuilder(json.length());
		for (int i = 0; i < json.length(); i++) {
			char character = json.charAt(i);
			if (character <= '~') {
				ascii.append(character);
			}
			else {
				ascii.append("\\u").append(HEX.toHexDigits(character));
			}
		}
		return ascii.toString();
	}

	/**
	 * Cut a text between two characters. In JSON it has at most the given length, with
	 * its escapes but without {@value #CUT}.
	 */
	public static @Nullable String cut(@Nullable String text, int maxLength) {
		if (text == null) {
			return null;
		}
		int length = 0;
		for (int i = 0; i < text.length();) {
			int point = text.codePointAt(i);
			boolean escaped = point < ' ' || point > '~' || point == '"' || point == '\\';
			length += escaped ? 6 * Character.charCount(point) : 1;
			if (length > maxLength) {
				return text.substring(0, i) + CUT;
			}
			i += Character.charCount(point);
		}
		return text;
	}

	/**
	 * Read an object of texts ({@code String}), integers ({@code Long}) and literals
	 * (their characters). Never fails; returns {@code null} if the text is no such
	 * object, or longer than a record can be.
	 */
	public static @Nullable Map<String, Object> read(String json) {
		if (json.length() > MAX_LENGTH) {
			return null;
		}
		Map<String, Object> values = new LinkedHashMap<>();
		Matcher member = MEMBER.matcher(json);
		int end = 0;
		try {
			while (member.find() && member.group(1).equals((end == 0) ? "{" : ",")) {
				end = member.end();
				String text = member.group(3);
				values.put(unescape(member.group(2)), (text != null) ? unescape(text) : literal(member.group(4)));
			}
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
		return json.substring(end).strip().equals("}") ? values : null;
	}

	private static Object literal(String literal) {
		return INTEGER.matcher(literal).matches() ? (Object) Long.valueOf(literal) : literal;
	}

	private static String unescape(String text) {
		return ESCAPE.matcher(text).replaceAll(RecordJson::unescape);
	}

	private static String unescape(MatchResult escape) {
		String code = escape.group(1);
		if (code.startsWith("u")) {
			return Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(code.substring(1), 16)));
		}
		int known = "\"\\/bfnrt".indexOf(code);
		Assert.isTrue(known >= 0, "Unknown escape");
		return Matcher.quoteReplacement(String.valueOf("\"\\/\b\f\n\r\t".charAt(known)));
	}

}
