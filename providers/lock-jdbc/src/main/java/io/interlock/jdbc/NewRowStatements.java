package io.interlock.jdbc;

/**
 * The statements that make the row of a lock.
 */
final class NewRowStatements {

	private static final String INSERT_LOCK = "INSERT INTO interlock_lock (" + JdbcStatements.LOCK_COLUMNS + ") ";

	/**
	 * An operator may have deleted the row of a lock that has contenders: their turn
	 * comes first. The table of the version has one row, for databases whose queries need
	 * a table.
	 */
	private static final String WITHOUT_CONTENDERS = " FROM interlock_version WHERE NOT EXISTS "
			+ "(SELECT 1 FROM interlock_contender WHERE lock_id = ?)";

	private static final String QUEUED = INSERT_LOCK + "SELECT ?, ?, ?, {now} * 1000, NULL, 0, NULL, {now}, 1"
			+ WITHOUT_CONTENDERS;

	private static final String CONTENDER = JdbcStatements.INSERT_CONTENDER
			+ "SELECT ?, lock_id, ?, ?, ?, token * ?, token, {now} + ? FROM ";

	private final JdbcStatements sql;

	NewRowStatements(JdbcStatements sql) {
		this.sql = sql;
	}

	String free() {
		return this.sql
			.sql(INSERT_LOCK + "VALUES (?, ?, ?, {now} * 1000, NULL, 0, NULL, {now}, 0)" + this.sql.unlessThere());
	}

	/** An exclusive holder has the lock. */
	String owned() {
		return this.sql.sql(INSERT_LOCK + "SELECT ?, ?, ?, 0, ?, {now} * 1000, ?, {now} + ?, 0" + WITHOUT_CONTENDERS
				+ this.sql.unlessThere());
	}

	/** A contender holds the lock with the number that its row has begun with. */
	String queuedWithContender() {
		return this.sql.sql("WITH made AS (" + QUEUED + this.sql.unlessThere() + " RETURNING lock_id, token) "
				+ CONTENDER + "made RETURNING token");
	}

}
