package io.interlock.fencing;

import java.util.Map;

import io.interlock.LockHandle;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.Assert;

/**
 * One write under a fence: parameters are added, then it is run. Not safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public final class FencedUpdate {

	static final String PARAMETER = "fence";

	private final JdbcClient.StatementSpec statement;

	private final LockHandle lock;

	FencedUpdate(JdbcClient.StatementSpec statement, LockHandle lock) {
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
	public FencedUpdate param(String name, @Nullable Object value) {
		Assert.isTrue(!PARAMETER.equals(name),
				"The parameter 'fence' is bound to the token of the lock and to nothing else");
		this.statement.param(name, value);
		return this;
	}

	/**
	 * Bind named parameters.
	 * @param params values by name; {@code fence} is not among them
	 * @return this
	 * @throws IllegalArgumentException if one of the names is {@code fence}
	 */
	public FencedUpdate params(Map<String, ?> params) {
		params.forEach(this::param);
		return this;
	}

	/**
	 * Write. The WHERE clause should name nothing but the row and the fence: a further
	 * condition that does not hold would look like a refusal.
	 * @return the number of rows that were written, at least one
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
