package io.interlock.fencing;

import java.util.regex.Pattern;

import io.interlock.LockHandle;
import io.interlock.LockMode;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.Assert;

/**
 * Writes to a database that a holder cannot make any more once a later holder of the same
 * lock has written: also not when it was stopped for minutes between its last look at the
 * lock and its write. Each row remembers the highest token that wrote it, in a column of
 * its own. H2, PostgreSQL and MySQL create it alike, in a table that is in use already:
 * <pre class="code">
 * ALTER TABLE seat ADD COLUMN fence BIGINT</pre>
 * <p>
 * The statement is plain SQL with the named parameter {@code :fence}, which is bound
 * here. It stores the token and compares it, equal tokens being legal: <pre class="code">
 * this.fence.sql(LockContext.current(), """
 *         UPDATE seat SET sold_to = :customer, fence = :fence
 *         WHERE id = :id AND (fence IS NULL OR fence &lt;= :fence)""")
 *     .param("customer", customer)
 *     .param("id", id)
 *     .update();</pre>
 * <p>
 * Two rules keep the fence tight. All writes of a row are fenced by the same lock: tokens
 * order the holders of one lock. And a statement that inserts or deletes protects only
 * what is left: mark rows as deleted where a late holder could insert them again.
 * Immutable and safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class JdbcFence {

	private static final Pattern COMPARED = Pattern.compile("<=\\s*:" + FencedUpdate.PARAMETER + "\\b");

	private static final Pattern STORED = Pattern.compile("(?<![<>!])=\\s*:" + FencedUpdate.PARAMETER + "\\b");

	private static final Pattern DELETE = Pattern.compile("\\s*DELETE\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

	private final JdbcClient client;

	/**
	 * Create a fence.
	 * @param client runs the statements, in the transaction of the caller
	 */
	public JdbcFence(JdbcClient client) {
		Assert.notNull(client, "'client' must not be null");
		this.client = client;
	}

	/**
	 * Begin a write that is refused if a later holder of the lock has written.
	 * @param lock the lock under which the caller writes
	 * @param sql a statement with named parameters, among them {@code :fence}
	 * @return the write, to add parameters and to run it
	 * @throws IllegalArgumentException if the statement does not store or not compare the
	 * token, or the lock is held shared: readers have no order in which they could fence
	 * each other
	 */
	public FencedUpdate sql(LockHandle lock, String sql) {
		Assert.notNull(lock, "'lock' must not be null");
		Assert.isTrue(lock.mode() == LockMode.EXCLUSIVE,
				() -> ("Lock %s is held shared, and shared holders would fence each other. "
						+ "Acquire it exclusively to write")
					.formatted(lock.id()));
		check(sql);
		return new FencedUpdate(this.client.sql(sql), lock);
	}

	/**
	 * Finds omissions and the refusal of equal tokens. A DELETE leaves no row for the
	 * token.
	 */
	private static void check(String sql) {
		Assert.hasText(sql, "'sql' must not be empty");
		Assert.isTrue(COMPARED.matcher(sql).find(),
				() -> "The statement does not compare the token. Add 'AND (fence IS NULL OR fence <= :fence)' to: "
						+ sql);
		Assert.isTrue(DELETE.matcher(sql).matches() || STORED.matcher(sql).find(),
				() -> "The statement does not store the token. Add 'fence = :fence' to the columns that it sets: "
						+ sql);
	}

}
