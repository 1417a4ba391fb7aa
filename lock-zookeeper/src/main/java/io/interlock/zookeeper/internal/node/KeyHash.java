package io.interlock.zookeeper.internal.node;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * Hashes the keys of locks with a secret, so that neither paths nor data tell them. A key
 * is a short text that a plain hash would not hide. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class KeyHash {

	/** Fewest characters of a secret. */
	public static final int LEAST_LENGTH = 16;

	private static final String ALGORITHM = "HmacSHA256";

	private final SecretKeySpec secret;

	private KeyHash(String secret) {
		this.secret = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
	}

	/** Return the hash for a secret, or {@code null} if there is none. */
	public static @Nullable KeyHash of(@Nullable String secret) {
		return (secret != null) ? new KeyHash(secret) : null;
	}

	/** Return the hash of the key of a lock; the same key of another name has another. */
	String of(LockId id) {
		return hash("key", id.name(), String.valueOf(id.key()));
	}

	/**
	 * Return what tells whether two secrets are the same, and nothing else about them.
	 */
	public String fingerprint() {
		return hash("fingerprint").substring(0, 32);
	}

	/** Hash texts together with their lengths, so that no two lists have one input. */
	private String hash(String... texts) {
		try {
			Mac mac = Mac.getInstance(ALGORITHM);
			mac.init(this.secret);
			for (String text : texts) {
				mac.update((text.length() + ":").getBytes(StandardCharsets.UTF_8));
				for (char unit : text.toCharArray()) {
					// A lone surrogate has no UTF-8 form.
					mac.update((byte) (unit >> 8));
					mac.update((byte) unit);
				}
			}
			return HexFormat.of().formatHex(mac.doFinal());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Every Java platform has " + ALGORITHM, ex);
		}
	}

	/** Describe without the secret. */
	@Override
	public String toString() {
		return "KeyHash";
	}

}
