package io.interlock.zookeeper.internal.node;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * Paths of locks, and locks of paths. A lock is the node {@code <root>/<name>} or
 * {@code <root>/<name>:<key>}, each part encoded so that no two locks share a node. No
 * lock path is the parent of another, because every child of a lock path contends for the
 * lock (CURATOR-43).
 *
 * @since 0.1.0
 */
public final class LockPaths {

	private static final int MAX_LENGTH = 200;

	/** Limit for the name in a node of another program. */
	private static final int MAX_READ = 500;

	/** Marks the hash in a shortened node name; in other names it is always encoded. */
	private static final char SHORTENED = '~';

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private static final Pattern ENCODED = Pattern.compile("%u(\\p{XDigit}{4})|((?:%\\p{XDigit}{2})+)|%");

	private final String root;

	private volatile boolean plain;

	public LockPaths(String root) {
		this(root, false);
	}

	public LockPaths(String root, boolean plain) {
		this.root = root;
		this.plain = plain;
	}

	/** Return the root of a namespace, behind a dot, with which no lock's node begins. */
	public static String rootOf(String root, String namespace) {
		return namespace.isEmpty() ? root : root + "/.namespaces/" + namespace;
	}

	public boolean arePlain() {
		return this.plain;
	}

	public void becomePlain() {
		this.plain = true;
	}

	public String pathOf(LockId id) {
		return this.root + "/" + nodeOf(id);
	}

	/** Return the name of the node of a lock. It never starts with a dot. */
	public static String nodeOf(LockId id) {
		String node = (id.key() != null) ? encode(id.name()) + ":" + encode(id.key()) : encode(id.name());
		return (node.length() > MAX_LENGTH) ? shorten(node) : node;
	}

	/** Return the lock of a node; {@code null} for a short name, or without a lock. */
	public static @Nullable LockId idOf(String node) {
		if (node.length() > 2 * MAX_LENGTH) {
			return null;
		}
		int colon = node.indexOf(':');
		String name = decode((colon < 0) ? node : node.substring(0, colon));
		String key = (colon < 0) ? null : decode(node.substring(colon + 1));
		if (name == null || name.isBlank() || (colon >= 0 && (key == null || key.isBlank()))) {
			return null;
		}
		LockId id = new LockId(name, key);
		return nodeOf(id).equals(node) ? id : null;
	}

	public static boolean isShortened(String node) {
		return node.indexOf(SHORTENED) >= 0;
	}

	/** Return the readable lock of a shortened node: the start of its name or key. */
	public static LockId startOf(String node) {
		String start = cut(node.substring(0, node.indexOf(SHORTENED)));
		int colon = start.indexOf(':');
		String name = (colon < 0) ? decodeStart(start) : decode(start.substring(0, colon));
		String key = (colon < 0) ? null : decodeStart(start.substring(colon + 1));
		return (name == null || name.isBlank()) ? ofUnknown(node) : new LockId(name, key);
	}

	/** Return a lock with the name of a node that no lock has, as it can be shown. */
	public static LockId ofUnknown(String node) {
		return new LockId(cut(node.isBlank() ? encode(node) : node), null);
	}

	private static String cut(String text) {
		return (text.length() > MAX_READ) ? text.substring(0, MAX_READ) + OwnerRecord.CUT : text;
	}

	/** Return whether a node can be of a name; uncertain only if shortened within it. */
	public static boolean mayBeOf(String node, String name) {
		if (!isShortened(node)) {
			LockId id = idOf(node);
			return (id != null) ? id.name().equals(name) : node.equals(name);
		}
		String start = node.substring(0, node.indexOf(SHORTENED));
		String encoded = encode(name) + ":";
		return start.startsWith(encoded) || encoded.startsWith(start);
	}

	/**
	 * Percent-encode all but letters, digits, minus, underscore, and dots that are not
	 * first. A lone surrogate has no UTF-8 form: it is encoded as {@code %u}.
	 */
	private static String encode(String text) {
		if (isPlain(text)) {
			return text;
		}
		StringBuilder encoded = new StringBuilder(text.length());
		for (int i = 0; i < text.length();) {
			int point = text.codePointAt(i);
			if (isPlain(point) || (point == '.' && i > 0)) {
				encoded.append((char) point);
			}
			else if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
				encoded.append("%u").append(HEX.toHexDigits((char) point));
			}
			else {
				for (byte octet : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
					encoded.append('%').append(HEX.toHexDigits(octet));
				}
			}
			i += Character.charCount(point);
		}
		return encoded.toString();
	}

	/** Bytes, because a young JVM takes several calls for each character. */
	private static boolean isPlain(String text) {
		for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
			if (!isPlain(octet)) {
				return false;
			}
		}
		return true;
	}

	private static boolean isPlain(int point) {
		return (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z') || (point >= '0' && point <= '9')
				|| point == '-' || point == '_';
	}

	/** Keep the start, which can be read, and replace the rest by a hash of the whole. */
	private static String shorten(String node) {
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(node.getBytes(StandardCharsets.UTF_8));
			return node.substring(0, MAX_LENGTH / 2) + SHORTENED + HexFormat.of().formatHex(hash);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/** Decode a text that may end within an encoded character. */
	private static String decodeStart(String start) {
		for (int end = start.length(); end > 0; end--) {
			String decoded = decode(start.substring(0, end));
			if (decoded != null) {
				return decoded + OwnerRecord.CUT;
			}
		}
		return start + OwnerRecord.CUT;
	}

	private static @Nullable String decode(String text) {
		try {
			return ENCODED.matcher(text).replaceAll((encoded) -> Matcher.quoteReplacement(decode(encoded)));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	private static String decode(MatchResult encoded) {
		if (encoded.group(1) != null) {
			return String.valueOf((char) HexFormat.fromHexDigits(encoded.group(1)));
		}
		byte[] octets = HexFormat.of().parseHex(encoded.group().replace("%", ""));
		String decoded = new String(octets, StandardCharsets.UTF_8);
		if (octets.length == 0 || !Arrays.equals(decoded.getBytes(StandardCharsets.UTF_8), octets)) {
			throw new IllegalArgumentException("Not encoded: " + encoded.group());
		}
		return decoded;
	}

}
