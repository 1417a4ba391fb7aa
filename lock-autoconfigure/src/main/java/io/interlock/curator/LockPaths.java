package io.interlock.curator;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.interlock.LockId;

/**
 * Where a lock lives: {@code <root>/<name>} or {@code <root>/<name>:<key>}, each part
 * encoded so that a lock is one node and no two locks are the same one. No lock path is
 * the parent of another, because every child of a lock path contends for it (CURATOR-43).
 */
final class LockPaths {

	private static final int MAX_LENGTH = 200;

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private final String root;

	LockPaths(String root) {
		this.root = root;
	}

	String root() {
		return this.root;
	}

	String pathOf(LockId id) {
		return this.root + "/" + nodeOf(id);
	}

	/**
	 * Name the node of a lock. No name starts with a dot.
	 */
	static String nodeOf(LockId id) {
		StringBuilder node = new StringBuilder();
		encode(id.name(), node);
		if (id.key() != null) {
			node.append(':');
			encode(id.key(), node);
		}
		return (node.length() > MAX_LENGTH) ? shorten(node) : node.toString();
	}

	/**
	 * Percent-encode all but letters, digits, minus, underscore, and dots that do not
	 * come first. A lone surrogate has no UTF-8 form and keeps its own, so that nothing
	 * is lost.
	 */
	static void encode(String text, StringBuilder target) {
		for (int i = 0; i < text.length();) {
			int point = text.codePointAt(i);
			if (isPlain(point) || (point == '.' && i > 0)) {
				target.append((char) point);
			}
			else if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
				target.append("%u").append(HEX.toHexDigits((char) point));
			}
			else {
				for (byte octet : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
					target.append('%').append(HEX.toHexDigits(octet));
				}
			}
			i += Character.charCount(point);
		}
	}

	private static boolean isPlain(int point) {
		return (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z') || (point >= '0' && point <= '9')
				|| point == '-' || point == '_';
	}

	/**
	 * Keep the readable start and tell the rest apart by its SHA-256. The tilde is always
	 * encoded elsewhere, so a shortened name meets no other.
	 */
	private static String shorten(StringBuilder node) {
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(node.toString().getBytes(StandardCharsets.UTF_8));
			return node.substring(0, MAX_LENGTH / 2) + "~" + HexFormat.of().formatHex(hash);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
