package io.interlock.fencing;

import java.util.Map;
import java.util.regex.Pattern;

import io.interlock.LockHandle;
import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.Assert;

/**
 * Writes to a database, and refuses a write once a later holder of the same lock has
 * written, even if the writer was paused for minutes after its last look at the lock.
 * Each row remembers the highest token that wrote it, in a column of its own. H2,
 * PostgreSQL and MySQL add it to a table in use: <pre class="code">
 * ALTER TABLE seat ADD COLUMN fence BIGINT</pre>
 * <p>
 * The statement is plain SQL. It stores and compares the token, the named parameter
 * {@code :fence}; equal tokens are legal: <pre class="code">
 * this.fence.sql(LockContext.current(), """
 *         UPDATE seat SET sold_to = :customer, fence = :fence
 *         WHERE id = :id AND (fence IS NULL OR fence &lt;= :fence)""")
 *     .param("customer", customer)
 *     .param("id", id)
 *     .update();</pre>
 * <p>
 * Two rules keep the fence tight. One lock fences all writes of a row, because tokens
 * order the holders of one lock. And inserts and deletes need a row that stays: mark rows
 * as deleted where a late holder could insert them again. Immutable and safe for use by
 * many threads.
 *
 * @since 0.1.0
 */
public final class JdbcFence {

	private static final String PARAMETER = "fence";

	private static final Pattern COMPARED = Pattern.compile("<=\\s*:" + PARAMETER + "\\b");

	private static final Pattern STORED = Pattern.compile("(?<![<>!])=\\s*:" + PARAMETER + "\\b");

	private static final Pattern DELETE = Pattern.compile("\\s*DELETE\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

	private final JdbcClient client;

	/** Create a fence that runs its statements in the transaction of the caller. */
	public JdbcFence(JdbcClient client) {
		Assert.notNull(client, "'client' must not be null");
		this.client = client;
	}

	/**
	 * Begin a write that is refused if a later holder of the lock has written.
	 * @param lock the lock under which the caller writes
	 * @param sql a statement with named parameters, among them {@code :fence}
	 * @return the write, to add parameters and to run it
	 * @throws IllegalArgumentException if the statement does not store and compare the
	 * token, or the lock is shared: tokens do not order readers
	 */
	public Update sql(LockHandle lock, String sql) {
		Assert.notNull(lock, "'lock' must not be null");
		Assert.isTrue(lock.mode() == LockMode.EXCLUSIVE,
				() -> ("Lock %s is held shared, and shared holders would fence each other. "
						+ "Acquire it exclusively to write")
					.formatted(lock.id()));
		check(sql);
		return new Update(this.client.sql(sql), lock);
	}

	/**
	 * Check that a statement compares the token, lets an equal one pass, and stores it. A
	 * DELETE leaves no row to store it in.
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

	/** One fenced write: add parameters, then run it. Not for use by many threads. */
	public static final class Update {

		private final JdbcClient.StatementSpec statement;

		private final LockHandle lock;

		Update(JdbcClient.StatementSpec statement, LockHandle lock) {
			this.statement = statement;
			this.lock = lock;
		}

		/**
		 * Bind a named parameter.
		 * @param name its name, not {@code fence}
		 * @param value its value
		 * @return this
		 * @throws IllegalArgumentException if the name is {@code fence}
		 */
		public Update param(String name, @Nullable Object value) {
			Assert.isTrue(!PARAMETER.equals(name),
					"The parameter 'fence' is always bound to the token of the lock and cannot be set");
			this.statement.param(name, value);
			return this;
		}

		/** Bind named parameters, each as {@link #param} does. */
		public Update params(Map<String, ?> params) {
			params.forEach(this::param);
			return this;
		}

		/**
		 * Write. The WHERE clause should name the row and the fence only: another
		 * condition that does not hold would look like a refusal.
		 * @return the number of written rows, at least one
		 * @throws StaleLockException if no row was written
		 * @throws org.springframework.dao.DataAccessException if the statement failed
		 */
		public int update() {
			long token = this.lock.fencingToken();
			int rows = this.statement.param(PARAMETER, token).update();
			if (rows == 0) {
				throw new StaleLockException(
						"Token %d of lock %s, held since %s, wrote no row: %s".formatted(token, this.lock.id(),
								this.lock.acquiredAt(), this.lock.isValid() ? likelyMissing() : likelyStale()),
						this.lock.id(), token);
			}
			return rows;
		}

		private static String likelyStale() {
			return "the lock is not known to be held any more, and a later holder has written. Acquire it again, read "
					+ "again, and decide again. If no row matches at all, correct the statement";
		}

		private static String likelyMissing() {
			return "the lock seems to be held, so most likely no row matches the rest of the condition, or the row has a "
					+ "token of another lock or of another ensemble";
		}

	}

}
