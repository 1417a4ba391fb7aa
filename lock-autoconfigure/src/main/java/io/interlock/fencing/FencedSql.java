package io.interlock.fencing;

import java.util.regex.Pattern;

import org.springframework.util.Assert;

/**
 * Knows whether a statement is fenced. It is no parser: it finds what was forgotten, and
 * the mistake of refusing equal tokens.
 */
final class FencedSql {

	static final String PARAMETER = "fence";

	private static final Pattern COMPARED = Pattern.compile("<=\\s*:" + PARAMETER + "\\b");

	private static final Pattern STORED = Pattern.compile("(?<![<>!])=\\s*:" + PARAMETER + "\\b");

	private static final Pattern DELETE = Pattern.compile("\\s*DELETE\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

	private FencedSql() {
	}

	/**
	 * Refuse a statement that is not fenced.
	 * @param sql the statement
	 * @throws IllegalArgumentException if the token is not compared, or not stored where
	 * something is left that could store it
	 */
	static void check(String sql) {
		Assert.hasText(sql, "'sql' must not be empty");
		Assert.isTrue(COMPARED.matcher(sql).find(),
				() -> "The statement does not compare the token. Add 'AND (fence IS NULL OR fence <= :fence)' to: "
						+ sql);
		Assert.isTrue(DELETE.matcher(sql).matches() || STORED.matcher(sql).find(),
				() -> "The statement does not store the token. Add 'fence = :fence' to the columns that it sets: "
						+ sql);
	}

}
