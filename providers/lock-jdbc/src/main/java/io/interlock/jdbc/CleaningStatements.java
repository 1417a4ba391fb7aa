package io.interlock.jdbc;

/**
 * The statements that look for rows which no contender needs any more, and remove them.
 */
final class CleaningStatements {

	private final JdbcStatements sql;

	private final String byKey;

	private final boolean skipLocked;

	CleaningStatements(JdbcStatements sql, JdbcLeaseStoreSettings settings) {
		this.sql = sql;
		this.byKey = settings.byKey();
		this.skipLocked = settings.skipLocked();
	}

	String deadContenders(int limit) {
		return old("SELECT contender FROM interlock_contender WHERE {old}", limit);
	}

	String deleteDeadContenders(int count) {
		return this.sql.sql(deleteByKey("interlock_contender") + "contender IN " + JdbcStatements.marks(count)
				+ " AND lease_end < {now} - ?");
	}

	String locksWithoutContenders(int limit) {
		return old("SELECT lock_id, token FROM interlock_lock l WHERE {old} AND {unasked} AND queued <> 0 "
				+ "AND NOT EXISTS (SELECT 1 FROM interlock_contender c WHERE c.lock_id = l.lock_id)", limit);
	}

	String settle() {
		return this.sql
			.sql("UPDATE interlock_lock SET queued = 0 WHERE lock_id = ? AND token = ? AND lease_end < {now} - ?");
	}

	String unusedLocks(int limit) {
		return old("SELECT lock_id FROM interlock_lock WHERE {old} AND {unasked} AND queued = 0", limit);
	}

	String deleteUnusedLocks(int count) {
		return this.sql.sql(deleteByKey("interlock_lock") + "lock_id IN " + JdbcStatements.marks(count)
				+ " AND queued = 0 AND lease_end < {now} - ? AND token < ({now} - ?) * 1000");
	}

	private String deleteByKey(String table) {
		return this.byKey.isEmpty() ? "DELETE FROM %s WHERE ".formatted(table)
				: "DELETE %1$s FROM %1$s %2$s WHERE ".formatted(table, this.byKey);
	}

	/**
	 * A clock that goes on within a statement keeps a database from using the index,
	 * unless it is asked once. The end of the lease is that of the last exclusive holder;
	 * readers, permits and waiters have asked when the number was given out.
	 */
	private String old(String query, int limit) {
		String now = this.skipLocked ? "(SELECT {now})" : "{now}";
		String old = query.replace("{old}", "lease_end < %s - ?".formatted(now))
			.replace("{unasked}", "token < (%s - ?) * 1000".formatted(now));
		return this.sql.sql(this.skipLocked ? old + " ORDER BY lease_end LIMIT " + limit : old);
	}

}
