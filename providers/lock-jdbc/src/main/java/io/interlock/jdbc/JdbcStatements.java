package io.interlock.jdbc;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.internal.LockHash;

/**
 * The statements of {@link JdbcLeaseStore}: standard SQL apart from the clock. Immutable.
 * <p>
 * The last number given out is the greater one of {@code token} and {@code owner_token}.
 * A statement gives out a number by setting one of them only. So a statement reads the
 * clock only once, because on some databases the clock goes on within a statement. And it
 * sets no column from one that it has set before, because databases differ in which value
 * they see then.
 */
final class JdbcStatements {

	/**
	 * The clock keeps numbers growing if the row is in an older state, after a fail-over
	 * or a restore. The last number keeps them growing if the clock stands still or is
	 * set back.
	 */
	private static final String NEXT = "GREATEST(token + 1, owner_token + 1, {now} * 1000)";

	static final String LOCK_COLUMNS = "lock_id, lock_name, lock_key, token, owner, owner_token, instance, lease_end, queued";

	private static final String CONTENDER_COLUMNS = "contender, lock_id, instance, lock_mode, permits, turn, token, lease_end";

	private static final String NEXT_TURN = "UPDATE interlock_lock SET token = " + NEXT
			+ ", queued = 1 WHERE lock_id = ?";

	static final String INSERT_CONTENDER = "INSERT INTO interlock_contender (" + CONTENDER_COLUMNS + ") ";

	private static final String INSERT_WAITING = INSERT_CONTENDER
			+ "SELECT ?, lock_id, ?, ?, ?, token * ?, NULL, {now} + ? FROM ";

	/** Limit of PostgreSQL, in ASCII letters. */
	private static final int LONGEST_NAME = 63;

	private final String tablePrefix;

	private final String now;

	private final boolean skipLocked;

	private final boolean passesOver;

	private final String byKey;

	private final String unlessThere;

	private final String channel;

	private final String namespace;

	JdbcStatements(JdbcLeaseStoreSettings settings) {
		this.tablePrefix = settings.tablePrefix();
		this.now = settings.clock();
		this.skipLocked = settings.skipLocked();
		this.passesOver = settings.passesOver();
		this.byKey = settings.byKey();
		this.unlessThere = unlessThere(settings);
		this.channel = channel(settings.tablePrefix());
		this.namespace = settings.namespace();
	}

	/**
	 * Return the end of a statement that leaves a row alone which another caller has just
	 * made. Drivers and servers log each statement that fails.
	 */
	private static String unlessThere(JdbcLeaseStoreSettings settings) {
		if (settings.telling()) {
			return " ON CONFLICT DO NOTHING";
		}
		return settings.byKey().isEmpty() ? "" : " ON DUPLICATE KEY UPDATE lock_id = lock_id";
	}

	String unlessThere() {
		return this.unlessThere;
	}

	String idOf(LockId id) {
		return LockHash.of(this.namespace, id.name(), id.key());
	}

	/**
	 * Return the name of a lock as its row shows it.
	 */
	String nameOf(LockId id) {
		return ReadableText.of(this.namespace.isEmpty() ? id.name() : this.namespace + ":" + id.name());
	}

	/**
	 * Return the name of the table of the locks as PostgreSQL spells it, without the
	 * beginning where it is too long. Locks of another table with that name have other
	 * identifiers.
	 */
	private static String channel(String tablePrefix) {
		String table = tablePrefix.toLowerCase(Locale.ROOT) + "lock";
		return table.substring(Math.max(0, table.length() - LONGEST_NAME));
	}

	/**
	 * Put in the names of the tables, the clock, and the channel.
	 */
	String sql(String statement) {
		return statement.replace(JdbcLeaseStoreSettings.TABLE_PREFIX, this.tablePrefix)
			.replace("{now}", this.now)
			.replace("{channel}", this.channel);
	}

	static String marks(int count) {
		return "(" + String.join(", ", Collections.nCopies(count, "?")) + ")";
	}

	String version() {
		return sql("SELECT version FROM interlock_version");
	}

	/**
	 * All that locks do with both tables, but on no row: a missing table, column or right
	 * shows, and nothing is changed.
	 */
	List<String> check() {
		return Stream
			.of("INSERT INTO interlock_lock (" + LOCK_COLUMNS + ") SELECT " + LOCK_COLUMNS
					+ " FROM interlock_lock WHERE lock_id = ''",
					"UPDATE interlock_lock SET lease_end = {now} WHERE lock_id = ''",
					"DELETE FROM interlock_lock WHERE lock_id = ''",
					INSERT_CONTENDER + "SELECT " + CONTENDER_COLUMNS + " FROM interlock_contender WHERE contender = ''",
					"UPDATE interlock_contender SET lease_end = {now} WHERE contender = ''",
					"DELETE FROM interlock_contender WHERE contender = ''")
			.map(this::sql)
			.toList();
	}

	String acquireFree() {
		return sql("UPDATE interlock_lock " + this.byKey + " SET owner = ?, instance = ?, owner_token = " + NEXT
				+ ", lease_end = {now} + ? WHERE "
				+ unlocked("interlock_lock", "lock_id", " AND queued = 0 AND (owner IS NULL OR lease_end <= {now})"));
	}

	/**
	 * The row of a key that no other transaction has locked, where the database can pass
	 * over a locked one. The query looks for it first, so that only this row is locked,
	 * and only if the condition is true.
	 */
	private String unlocked(String table, String key, String condition) {
		return this.passesOver ? "%2$s = (SELECT %2$s FROM %1$s WHERE %2$s = ?%3$s FOR UPDATE SKIP LOCKED)"
			.formatted(table, key, condition) : key + " = ?" + condition;
	}

	/**
	 * The same for several contenders in PostgreSQL. It waits for no row, so it passes
	 * over those that are locked. The queries hide how many contenders there are, for
	 * which PostgreSQL would make a plan each time.
	 */
	String acquireFreeTogether() {
		return sql("UPDATE interlock_lock l SET owner = c.contender, instance = c.instance, owner_token = " + NEXT
				+ ", lease_end = {now} + c.lease "
				+ "FROM unnest((SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::text[]), (SELECT ?::bigint[])) "
				+ "AS c (lock, contender, instance, lease), "
				+ unlocked("queued = 0 AND (owner IS NULL OR lease_end <= {now})")
				+ " RETURNING c.contender, l.owner_token");
	}

	/**
	 * The row of a contender, found again by its physical place, so that the plan never
	 * reads the whole table.
	 */
	private static String unlocked(String condition) {
		return "LATERAL (SELECT ctid AS place FROM interlock_lock WHERE lock_id = c.lock AND " + condition
				+ " FOR UPDATE SKIP LOCKED) AS own WHERE l.ctid = own.place AND l.lock_id = c.lock";
	}

	String ownerToken() {
		return sql("SELECT owner_token FROM interlock_lock WHERE lock_id = ? AND owner = ?");
	}

	String nextToken() {
		return sql("UPDATE interlock_lock " + this.byKey + " SET token = " + NEXT + " WHERE "
				+ unlocked("interlock_lock", "lock_id", ""));
	}

	/** Waits for the row of a lock, and locks it. */
	String lockRow() {
		return sql("SELECT lock_id FROM interlock_lock WHERE lock_id = ? FOR UPDATE");
	}

	/** Waits for the row of a contender, and locks it. */
	String lockContender() {
		return sql("SELECT contender FROM interlock_contender WHERE contender = ? FOR UPDATE");
	}

	/** A row for each row of a contender, without waiting for one. */
	String rowsOf() {
		return sql("SELECT owner FROM interlock_lock WHERE lock_id = ? AND owner = ? "
				+ "UNION ALL SELECT contender FROM interlock_contender WHERE contender = ?");
	}

	String line() {
		return sql("SELECT l.owner, l.owner_token, l.token AS last_token, l.queued, "
				+ "CASE WHEN l.owner IS NOT NULL AND l.lease_end > {now} THEN 1 ELSE 0 END AS owned, "
				+ "c.contender, c.lock_mode, c.permits, c.turn, c.token AS contender_token, "
				+ "CASE WHEN c.lease_end > {now} THEN 1 ELSE 0 END AS alive FROM interlock_lock l "
				+ "LEFT JOIN interlock_contender c ON c.lock_id = l.lock_id WHERE l.lock_id = ? ORDER BY c.turn");
	}

	String own() {
		return sql("UPDATE interlock_lock SET owner = ?, instance = ?, owner_token = ?, lease_end = {now} + ? "
				+ "WHERE lock_id = ?");
	}

	/** The same for PostgreSQL, unless the line has changed, with the place in it. */
	String ownUnchanged() {
		return sql("WITH owned AS (UPDATE interlock_lock SET owner = ?, instance = ?, owner_token = " + NEXT
				+ ", lease_end = {now} + ?, queued = ? WHERE "
				+ unlocked("interlock_lock", "lock_id", " AND token = ? AND (owner IS NULL OR lease_end <= {now})")
				+ " RETURNING owner_token), gone AS (DELETE FROM interlock_contender WHERE contender = ? "
				+ "AND EXISTS (SELECT 1 FROM owned)) SELECT owner_token FROM owned");
	}

	String setQueued() {
		return sql("UPDATE interlock_lock SET queued = ? WHERE lock_id = ?");
	}

	String releaseOwner() {
		return sql(releasedOwner());
	}

	private String releasedOwner() {
		return "UPDATE interlock_lock " + this.byKey + " SET owner = NULL, instance = NULL, lease_end = {now} WHERE "
				+ unlocked("interlock_lock", "lock_id", " AND owner = ?");
	}

	/**
	 * The same for PostgreSQL, where the commit notifies the instances that wait. Without
	 * contenders there is no notification, because commits that notify wait for each
	 * other.
	 */
	String releaseOwnerAndTell() {
		return sql("WITH freed AS (" + releasedOwner() + " RETURNING lock_id, queued, token) SELECT lock_id, "
				+ ReleaseNews.TELL_QUEUED + " FROM freed");
	}

	/**
	 * The same for several contenders. It waits for no row, so it passes over those that
	 * are locked. It does not change the end of the lease, which has an index, so that
	 * PostgreSQL changes no index.
	 */
	String releaseOwnersAndTell() {
		return sql("WITH freed AS (UPDATE interlock_lock l SET owner = NULL, instance = NULL "
				+ "FROM unnest((SELECT ?::text[]), (SELECT ?::text[])) AS c (lock, contender), "
				+ unlocked("owner = c.contender")
				+ " RETURNING l.lock_id, l.queued, l.token, c.contender) SELECT lock_id, " + ReleaseNews.TELL_QUEUED
				+ ", contender FROM freed");
	}

	String insertContender() {
		return sql(INSERT_CONTENDER + "VALUES (?, ?, ?, ?, ?, ?, ?, {now} + ?)");
	}

	/**
	 * Number a contender, as {@link #nextToken()}, and say that the lock has contenders.
	 */
	String nextTurn() {
		return sql(NEXT_TURN);
	}

	/**
	 * Insert a contender that waits, with the number that its lock has just given out.
	 */
	String insertWaiting() {
		return sql(INSERT_WAITING + "interlock_lock WHERE lock_id = ?");
	}

	/**
	 * Both for PostgreSQL: the row of the lock is locked within the statement only.
	 */
	String join() {
		return sql("WITH turn AS (" + NEXT_TURN + " RETURNING lock_id, token) " + INSERT_WAITING + "turn");
	}

	String grantContender() {
		return sql("UPDATE interlock_contender SET token = ?, lease_end = {now} + ? WHERE contender = ?");
	}

	String extendContender() {
		return sql("UPDATE interlock_contender SET lease_end = {now} + ? WHERE contender = ?");
	}

	String deleteContender() {
		return sql("DELETE FROM interlock_contender WHERE contender = ?");
	}

	String keepOwner() {
		return sql("UPDATE interlock_lock " + this.byKey + " SET owner = ?, lease_end = {now} + ? WHERE "
				+ unlocked("interlock_lock", "lock_id", " AND owner = ? AND lease_end > {now}"));
	}

	String keepContender() {
		return sql("UPDATE interlock_contender " + this.byKey + " SET contender = ?, lease_end = {now} + ? WHERE "
				+ unlocked("interlock_contender", "contender", " AND token IS NOT NULL AND lease_end > {now}"));
	}

	String releaseContender() {
		return sql(releasedContender());
	}

	private String releasedContender() {
		return "DELETE FROM interlock_contender WHERE " + unlocked("interlock_contender", "contender", "");
	}

	/**
	 * The same for PostgreSQL, where the commit notifies the instances that wait. The row
	 * of the lock is not locked, so contenders that join meanwhile are not notified.
	 */
	String releaseContenderAndTell() {
		return sql("WITH freed AS (" + releasedContender() + " RETURNING lock_id, contender) SELECT lock_id, "
				+ ReleaseNews.tell("c.lock_id = freed.lock_id AND c.contender <> freed.contender")
				+ " AS told, 0 AS told_all FROM freed");
	}

	String updateRun() {
		return sql("UPDATE interlock_run SET lock_name = ?, lock_key = ?, instance = ?, started_at = ?, millis = ?, "
				+ "outcome = ?, succeeded_at = ? WHERE lock_id = ?");
	}

	String insertRun() {
		return sql("INSERT INTO interlock_run (lock_name, lock_key, instance, started_at, millis, outcome, "
				+ "succeeded_at, lock_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)" + this.unlessThere);
	}

	String run() {
		return sql("SELECT lock_key, instance, started_at, millis, outcome, succeeded_at FROM interlock_run "
				+ "WHERE lock_id = ?");
	}

	/** Tells those that a release has not seen, when it is committed. */
	String tellOthers() {
		return sql("SELECT " + ReleaseNews.TELL_OTHERS);
	}

	String tell() {
		return sql("SELECT pg_notify('{channel}', ?)");
	}

	String listen() {
		return sql("LISTEN \"{channel}\"");
	}

	String unlisten() {
		return sql("UNLISTEN \"{channel}\"");
	}

	String deleteContenders(int count) {
		return sql("DELETE FROM interlock_contender WHERE contender IN " + marks(count));
	}

	String renewOwners(int locks, int contenders) {
		return sql("UPDATE interlock_lock " + this.byKey + " SET lease_end = {now} + ? WHERE lock_id IN " + marks(locks)
				+ " AND owner IN " + marks(contenders) + " AND lease_end > {now}");
	}

	String renewContenders(int count) {
		return sql("UPDATE interlock_contender " + this.byKey + " SET lease_end = {now} + ? WHERE contender IN "
				+ marks(count) + " AND lease_end > {now}");
	}

	String aliveOwners(int locks, int contenders) {
		return sql("SELECT owner FROM interlock_lock WHERE lock_id IN " + marks(locks) + " AND owner IN "
				+ marks(contenders) + " AND lease_end > {now}");
	}

	String aliveContenders(int count) {
		return sql("SELECT contender FROM interlock_contender WHERE contender IN " + marks(count)
				+ " AND lease_end > {now}");
	}

	/**
	 * Those rows that no other transaction has locked. The locks end with the statement.
	 */
	String unlockedLocks(int count) {
		return sql("SELECT lock_id FROM interlock_lock WHERE lock_id IN " + marks(count) + skipLocked());
	}

	/**
	 * Those holders whose rows no other transaction has locked.
	 */
	String unlockedOwners(int locks, int contenders) {
		return sql("SELECT owner FROM interlock_lock WHERE lock_id IN " + marks(locks) + " AND owner IN "
				+ marks(contenders) + skipLocked());
	}

	/**
	 * Those rows that no other transaction has locked. The locks end with the statement.
	 */
	String unlockedContenders(int count) {
		return sql("SELECT contender FROM interlock_contender WHERE contender IN " + marks(count) + skipLocked());
	}

	private String skipLocked() {
		return this.skipLocked ? " FOR UPDATE SKIP LOCKED" : "";
	}

}
