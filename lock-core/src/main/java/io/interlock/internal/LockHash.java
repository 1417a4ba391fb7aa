package io.interlock.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;

/**
 * The keys of the rows of locks: 64 characters for all names and keys, which differ where
 * a collation sees no difference.
 *
 * @since 0.1.0
 */
public final class LockHash {

	private LockHash() {
	}

	/**
	 * Return the key of the row of a lock. It hashes UTF-16, because a lone surrogate has
	 * no UTF-8 form. A scope has a negative length in front, so that it is never read as
	 * a name.
	 * @param scope tells locks of the same name and key apart; may be empty
	 * @param name name of the lock
	 * @param key its key
	 * @return the key of its row
	 */
	public static String of(String scope, String name, @Nullable String key) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			if (!scope.isEmpty()) {
				byte[] octets = scope.getBytes(StandardCharsets.UTF_8);
				digest.update(
						ByteBuffer.allocate(Integer.BYTES + octets.length).putInt(-octets.length).put(octets).array());
			}
			String text = (key != null) ? key : "";
			ByteBuffer octets = ByteBuffer.allocate(Integer.BYTES + Character.BYTES * (name.length() + text.length()));
			octets.putInt(name.length()).asCharBuffer().put(name).put(text);
			digest.update(octets.array());
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
