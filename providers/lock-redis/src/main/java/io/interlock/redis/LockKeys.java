package io.interlock.redis;

import java.util.HexFormat;
import java.util.regex.Pattern;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The keys of locks, such as <code>interlock:{stock:A-1}</code>: readable, different for
 * different locks, and with a hash tag, so that keys which are added for a lock later
 * have its slot. In a name or key, a brace, a percent sign, a lone surrogate, which has
 * no UTF-8 form, and, in a name, a colon are encoded.
 */
final class LockKeys {

	private static final Pattern SURROGATE = Pattern.compile("\\p{Cs}");

	private static final Pattern ENCODED_SURROGATE = Pattern.compile("%u(\\p{XDigit}{4})");

	private static final Pattern GLOB = Pattern.compile("[\\\\*?\\[\\]^]");

	private final String start;

	LockKeys(String prefix) {
		this.start = prefix + "{";
	}

	String keyOf(LockId id) {
		String name = encode(id.name()).replace(":", "%3A");
		return this.start + ((id.key() != null) ? name + ":" + encode(id.key()) : name) + "}";
	}

	/**
	 * Return a glob pattern for the keys of all locks, or of those whose names begin so.
	 */
	String patternOf(@Nullable String name) {
		String start = (name != null) ? keyOf(new LockId(name, null)) : this.start + "}";
		return GLOB.matcher(start.substring(0, start.length() - 1)).replaceAll("\\\\$0") + "*}";
	}

	/** Return the lock of a key; {@code null} if no lock has it. */
	@Nullable LockId lockOf(String key) {
		if (!key.startsWith(this.start) || !key.endsWith("}")) {
			return null;
		}
		String text = key.substring(this.start.length(), key.length() - 1);
		int colon = text.indexOf(':');
		try {
			return (colon < 0) ? new LockId(decode(text), null)
					: new LockId(decode(text.substring(0, colon)), decode(text.substring(colon + 1)));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static String encode(String text) {
		String encoded = text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
		return SURROGATE.matcher(encoded)
			.replaceAll((lone) -> "%u" + HexFormat.of().toHexDigits(lone.group().charAt(0)));
	}

	private static String decode(String text) {
		String decoded = ENCODED_SURROGATE.matcher(text)
			.replaceAll((lone) -> String.valueOf((char) HexFormat.fromHexDigits(lone.group(1))));
		return decoded.replace("%3A", ":").replace("%7D", "}").replace("%7B", "{").replace("%25", "%");
	}

}
