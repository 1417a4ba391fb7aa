package io.interlock.curator;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * Finds back from the node of a lock to its name and key: the reverse of
 * {@link LockPaths}.
 */
final class LockNames {

	private static final char SHORTENED = '~';

	private LockNames() {
	}

	/**
	 * Find the lock of a node.
	 * @param node name of a node below the root path
	 * @return the lock, or {@code null} if the node has not all of its name, or if no
	 * lock has such a node
	 */
	static @Nullable LockId idOf(String node) {
		int colon = node.indexOf(':');
		String name = decode((colon < 0) ? node : node.substring(0, colon));
		String key = (colon < 0) ? null : decode(node.substring(colon + 1));
		if (name == null || name.isBlank() || (colon >= 0 && (key == null || key.isBlank()))) {
			return null;
		}
		LockId id = new LockId(name, key);
		return LockPaths.nodeOf(id).equals(node) ? id : null;
	}

	static boolean isShortened(String node) {
		return node.indexOf(SHORTENED) >= 0;
	}

	/**
	 * Return whether a node may be that of a lock with a name. It can be told for sure
	 * unless the node lacks a part of the name itself.
	 * @param node name of a node below the root path
	 * @param name name of a lock
	 * @return whether it may be
	 */
	static boolean mayBeOf(String node, String name) {
		if (!isShortened(node)) {
			LockId id = idOf(node);
			return (id != null) ? id.name().equals(name) : node.equals(name);
		}
		String start = node.substring(0, node.indexOf(SHORTENED));
		StringBuilder encoded = new StringBuilder();
		LockPaths.encode(name, encoded);
		return start.startsWith(encoded + ":") || encoded.append(':').toString().startsWith(start);
	}

	/**
	 * Read what a shortened node has of a lock.
	 * @param node name of a node below the root path
	 * @return the start of its name, and of its key if the name ends before
	 */
	static LockId startOf(String node) {
		String start = node.substring(0, node.indexOf(SHORTENED));
		int colon = start.indexOf(':');
		String name = (colon < 0) ? readable(start) : decode(start.substring(0, colon));
		String key = (colon < 0) ? null : readable(start.substring(colon + 1));
		return (name == null || name.isBlank()) ? new LockId(node, null) : new LockId(name, key);
	}

	/**
	 * Decode a text that may end within a character.
	 */
	private static String readable(String start) {
		for (int end = start.length(); end > 0; end--) {
			String decoded = decode(start.substring(0, end));
			if (decoded != null) {
				return decoded + FlatJsonWriter.CUT;
			}
		}
		return start + FlatJsonWriter.CUT;
	}

	private static @Nullable String decode(String text) {
		StringBuilder decoded = new StringBuilder();
		ByteBuffer octets = ByteBuffer.allocate(text.length());
		try {
			for (int i = 0; i < text.length(); i++) {
				if (text.charAt(i) != '%') {
					flush(octets, decoded);
					decoded.append(text.charAt(i));
				}
				else if (text.startsWith("%u", i)) {
					flush(octets, decoded);
					decoded.append((char) HexFormat.fromHexDigits(text, i + 2, i + 6));
					i += 5;
				}
				else {
					octets.put((byte) HexFormat.fromHexDigits(text, i + 1, i + 3));
					i += 2;
				}
			}
			flush(octets, decoded);
			return decoded.toString();
		}
		catch (CharacterCodingException | IllegalArgumentException | IndexOutOfBoundsException ex) {
			return null;
		}
	}

	private static void flush(ByteBuffer octets, StringBuilder decoded) throws CharacterCodingException {
		decoded.append(StandardCharsets.UTF_8.newDecoder().decode(octets.flip()));
		octets.clear();
	}

}
