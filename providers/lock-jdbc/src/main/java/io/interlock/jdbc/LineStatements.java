package io.interlock.jdbc;

/**
 * The statements that read locks for operators. They lock no row. The clock is asked once
 * for a statement where that is possible, so that an index can be used.
 */
final class LineStatements {

	/** A lock without rows of contenders need not be looked up in their table. */
	private static final String BUSY = "((l.owner IS NOT NULL AND l.lease_end > {once}) OR (l.queued <> 0 AND EXISTS ("
			+ "SELECT 1 FROM interlock_contender c WHERE c.lock_id = l.lock_id AND c.lease_end > {once})))";

	private final JdbcStatements sql;

	private final boolean limits;

	LineStatements(JdbcStatements sql, JdbcLeaseStoreSettings settings) {
		this.sql = sql;
		this.limits = settings.skipLocked();
	}

	/** Select locks by their name. */
	static String ofName() {
		return "l.lock_name = ?";
	}

	/** Select locks by the beginning of their names. */
	static String beginningWith(String beginning) {
		return beginning.isEmpty() ? "? = ''" : "SUBSTRING(l.lock_name, 1, %d) = ?".formatted(beginning.length());
	}

	String count(String names, boolean busy) {
		return sql("SELECT COUNT(*) FROM interlock_lock l WHERE " + condition(names, busy));
	}

	/** Reads more than is asked for where there is no limit. */
	String page(String names, boolean busy, int offset, int limit) {
		return sql("SELECT l.lock_id, CASE WHEN " + BUSY + " THEN 0 ELSE 1 END AS idle, l.lock_name, l.lock_key "
				+ "FROM interlock_lock l WHERE " + condition(names, busy) + " ORDER BY 2, 3, 4, 1"
				+ (this.limits ? " LIMIT %d OFFSET %d".formatted(limit, offset) : ""));
	}

	/** Return the number of rows of {@link #page} that are not to be shown. */
	int skipped(int offset) {
		return this.limits ? 0 : offset;
	}

	private String condition(String names, boolean busy) {
		return names + (busy ? " AND " + BUSY : "");
	}

	/** The rows of locks and their contenders, in the order of the locks. */
	String lines(int locks) {
		return sql("SELECT l.lock_id, l.lock_name, l.lock_key, l.owner, l.instance, l.owner_token, l.lease_end, "
				+ "CASE WHEN l.owner IS NOT NULL AND l.lease_end > {now} THEN 1 ELSE 0 END AS owned, "
				+ "c.contender, c.instance AS contender_instance, c.lock_mode, c.permits, c.turn, "
				+ "c.token AS contender_token, c.lease_end AS contender_end FROM interlock_lock l "
				+ "LEFT JOIN interlock_contender c ON c.lock_id = l.lock_id AND c.lease_end > {now} WHERE l.lock_id IN "
				+ JdbcStatements.marks(locks) + " ORDER BY l.lock_id, c.turn");
	}

	private String sql(String statement) {
		return this.sql.sql(statement.replace("{once}", this.limits ? "(SELECT {now})" : "{now}"));
	}

}
