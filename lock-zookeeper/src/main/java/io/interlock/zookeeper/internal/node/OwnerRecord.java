package io.interlock.zookeeper.internal.node;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockId;
import io.interlock.provider.LockCaller;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.json.JsonWriter;
import org.springframework.util.Assert;

/**
 * The owner of a lock node, in its data: a small JSON record for operators who look at it
 * with {@code zkCli.sh get}. No lock depends on it. Where several threads of an instance
 * hold the lock in turn through one node, it names the first.
 * <p>
 * An object writes the records of one instance. Long texts are cut, so that a record
 * stays below 1 KB, or 2 KB with the reason of an operator. What all records of the
 * instance share is written once, because a record is part of every acquisition. Safe for
 * use by many threads.
 * <p>
 * The JSON is ASCII, so that {@code zkCli.sh} shows it everywhere. Boot's
 * {@link JsonWriter} would take a tenth of an acquisition in a young JVM to write it.
 * Boot's parsers do not read it: the basic one takes a brace within a text for structure
 * and drops escapes, and which other one is found depends on the application.
 *
 * @since 0.1.0
 */
public final class OwnerRecord {

	public static final int VERSION = 1;

	public static final int MAX_BYTES = 4096;

	public static final String CUT = "...";

	private static final String TEXT = "\"((?:[^\"\\\\]++|\\\\.)*+)\"";

	private static final Pattern MEMBER = Pattern
		.compile("\\G\\s*([{,])\\s*" + TEXT + "\\s*:\\s*(?:" + TEXT + "|(true|false|null|-?\\d[\\d.eE+-]*))\\s*");

	private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");

	private static final Pattern ESCAPE = Pattern.compile("\\\\(u\\p{XDigit}{4}|.)", Pattern.DOTALL);

	private static final HexFormat HEX = HexFormat.of();

	private final String start;

	private final byte @Nullable [] constant;

	public OwnerRecord(String instance, Details details, LockData data) {
		Details shown = (data == LockData.FULL) ? details : Details.NONE;
		StringBuilder json = new StringBuilder("{\"version\":").append(VERSION);
		append(json, "application", shown.application(), 80);
		append(json, "instance", (data != LockData.NONE) ? instance : null, 100);
		append(json, "host", shown.host(), 80);
		if (shown.pid() != null) {
			json.append(",\"pid\":").append(shown.pid());
		}
		this.start = json.toString();
		this.constant = (data != LockData.FULL) ? bytes(json) : null;
	}

	public byte[] write(LockId id, LockCaller owner) {
		if (this.constant != null) {
			return this.constant;
		}
		StringBuilder json = new StringBuilder(this.start);
		append(json, "thread", owner.text(), (owner.operator() != null) ? 1000 : 100);
		append(json, "since", owner.since().toString(), 100);
		append(json, "name", id.name(), 140);
		append(json, "key", id.key(), 200);
		append(json, "traceId", owner.traceId(), 60);
		return bytes(json);
	}

	private static byte[] bytes(StringBuilder json) {
		return json.append('}').toString().getBytes(StandardCharsets.US_ASCII);
	}

	private static void append(StringBuilder json, String field, @Nullable String text, int maxLength) {
		if (text == null) {
			return;
		}
		json.append(",\"").append(field).append("\":\"");
		if (text.length() <= maxLength && isPlain(text)) {
			json.append(text).append('"');
			return;
		}
		String shown = Objects.requireNonNull(cut(text, maxLength));
		for (int i = 0; i < shown.length(); i++) {
			append(json, shown.charAt(i));
		}
		json.append('"');
	}

	/**
	 * Bytes, because a young JVM takes several calls for each character. A question mark
	 * may be a surrogate that is alone.
	 */
	private static boolean isPlain(String text) {
		for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
			if (octet < ' ' || octet > '~' || octet == '"' || octet == '\\' || octet == '?') {
				return false;
			}
		}
		return true;
	}

	private static void append(StringBuilder json, char character) {
		if (character < ' ' || character > '~') {
			json.append("\\u").append(HEX.toHexDigits(character));
			return;
		}
		if (character == '"' || character == '\\') {
			json.append('\\');
		}
		json.append(character);
	}

	public static <T> String toJson(JsonWriter<T> writer, T value) {
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
				append(ascii, character);
			}
		}
		return ascii.toString();
	}

	/** Cut a text whose JSON, with escapes but without the mark, would be too long. */
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
	public static @Nullable Map<String, Object> parse(String json) {
		if (json.length() > MAX_BYTES) {
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
		return ESCAPE.matcher(text).replaceAll(OwnerRecord::unescape);
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

	public record Details(@Nullable String application, @Nullable String host, @Nullable Long pid) {

		public static final Details NONE = new Details(null, null, null);

	}

	/**
	 * How much a lock node reveals about its owner, to every client that may read it, and
	 * to logs and snapshots of the servers.
	 */
	public enum LockData {

		FULL, MINIMAL, NONE

	}

}
