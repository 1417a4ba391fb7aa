package io.interlock.jdbc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.interlock.LockId;

/** The keys of the rows of locks. */
final class LockIdentifier {

	private LockIdentifier() {
	}

	/**
	 * Return the identifier of a lock, which has the same length for all names and keys,
	 * and differs where a collation sees no difference. It hashes UTF-16, because a lone
	 * surrogate has no UTF-8 form. A namespace has a negative length in front, so that it
	 * is never read as a name.
	 */
	static String of(String namespace, LockId id) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			if (!namespace.isEmpty()) {
				byte[] octets = namespace.getBytes(StandardCharsets.UTF_8);
				digest.update(
						ByteBuffer.allocate(Integer.BYTES + octets.length).putInt(-octets.length).put(octets).array());
			}
			String key = (id.key() != null) ? id.key() : "";
			ByteBuffer octets = ByteBuffer
				.allocate(Integer.BYTES + Character.BYTES * (id.name().length() + key.length()));
			octets.putInt(id.name().length()).asCharBuffer().put(id.name()).put(key);
			digest.update(octets.array());
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
