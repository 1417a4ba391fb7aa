package io.interlock.jdbc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What PostgreSQL tells of a release: a word for each contender that waits. Any user of
 * the database can listen, so a word is made of the random identifier of a contender, and
 * says neither which lock it is nor where it is waited for.
 */
final class ReleaseNews {

	private static final int WORD = 16;

	private static final String WORD_OF = "left(encode(sha256(convert_to(c.contender, 'UTF8')), 'hex'), " + WORD + ")";

	/** PostgreSQL refuses payloads of 8000 bytes. Waiters in front come first. */
	private static final String WORDS = "(SELECT left(string_agg(" + WORD_OF
			+ ", ' ' ORDER BY c.turn), 7900) AS words FROM interlock_contender c WHERE c.token IS NULL AND ";

	/**
	 * A release is confirmed before it is on disk. If a crash of the server undoes it,
	 * the lease ends all the same. What depends on the release is on disk after it.
	 */
	private static final String NOT_FORCED = "set_config('synchronous_commit', 'off', true)";

	/**
	 * Tells those that wait for a released row, if there are contenders. They are all, if
	 * none has given the row another number since the moment that the statement sees:
	 * from then on the row is locked.
	 */
	static final String TELL_QUEUED = "CASE WHEN queued <> 0 THEN " + tell("c.lock_id = freed.lock_id")
			+ " END AS told, CASE WHEN queued = 0 OR token = (SELECT seen.token FROM interlock_lock seen "
			+ "WHERE seen.lock_id = freed.lock_id) THEN 1 ELSE 0 END AS told_all, " + NOT_FORCED;

	/** Tells those that wait for a lock, and whose words are not among some. */
	static final String TELL_OTHERS = tell("c.lock_id = ? AND strpos(?, " + WORD_OF + ") = 0");

	private ReleaseNews() {
	}

	/**
	 * Return an expression that tells the contenders with a condition, and returns their
	 * words, or null if there are none. It sees the rows that the statement sees.
	 */
	static String tell(String condition) {
		return "(SELECT n.words FROM " + WORDS + condition
				+ ") n, pg_notify('{channel}', n.words) WHERE n.words IS NOT NULL)";
	}

	/** Return the word of a contender. */
	static String wordOf(String contender) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(contender.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest).substring(0, WORD);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
