package io.interlock.jdbc;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes rows whose leases have been over for long, those of crashed holders too, in
 * batches. A lock of readers or permits is in use while one of them has a row; its own
 * row tells by its last number when a contender has last asked for it.
 * <p>
 * It may do so beside acquisitions, because each statement is a transaction of its own
 * and looks once more at the columns of the row that it changes. An acquisition that came
 * first has changed them: the end of the lease, or {@code queued}, or the number that
 * each transaction in turn takes. One that comes later finds no row, and makes one whose
 * numbers go on above. No statement waits for a row that was locked just before.
 */
final class UnusedRows {

	/** A batch takes milliseconds. */
	static final int BATCH = 500;

	/** Smaller, because these rows are changed one by one. */
	private static final int SETTLED_BATCH = 100;

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private final CleaningStatements cleaning;

	private final long age;

	UnusedRows(JdbcCalls calls, JdbcStatements sql, JdbcLeaseStoreSettings settings) {
		this.calls = calls;
		this.sql = sql;
		this.cleaning = new CleaningStatements(sql, settings);
		this.age = settings.keepUnused().toMillis();
	}

	/**
	 * Delete a batch of each kind.
	 * @return whether there may be more that can be deleted now
	 */
	boolean delete() {
		boolean moreContenders = this.calls.run(this::deleteContenders);
		boolean moreLocks = this.calls.run(this::deleteLocks);
		if (moreContenders || moreLocks) {
			return true;
		}
		// Only once few old rows are left, because this reads all of them.
		return this.calls.run(this::settleLocks);
	}

	private boolean deleteContenders(JdbcClient client) {
		List<String> dead = client.sql(this.cleaning.deadContenders(BATCH))
			.param(this.age)
			.withMaxRows(BATCH)
			.query(String.class)
			.list();
		List<String> free = dead.isEmpty() ? dead
				: client.sql(this.sql.unlockedContenders(dead.size())).params(dead).query(String.class).list();
		if (free.isEmpty()) {
			return false;
		}
		int deleted = client.sql(this.cleaning.deleteDeadContenders(free.size())).params(free).param(this.age).update();
		return deleted > 0 && dead.size() == BATCH;
	}

	/**
	 * Record that locks have no contenders any more.
	 * @return whether there are such locks, which can be deleted now
	 */
	private boolean settleLocks(JdbcClient client) {
		List<Settled> settled = client.sql(this.cleaning.locksWithoutContenders(SETTLED_BATCH))
			.params(this.age, this.age)
			.withMaxRows(SETTLED_BATCH)
			.query((row, number) -> new Settled(row.getString("lock_id"), row.getLong("token")))
			.list();
		Set<String> free = new HashSet<>(unlocked(client, settled.stream().map(Settled::lock).toList()));
		int changed = 0;
		for (Settled lock : settled) {
			if (free.contains(lock.lock())) {
				changed += client.sql(this.cleaning.settle()).params(lock.lock(), lock.token(), this.age).update();
			}
		}
		return changed > 0;
	}

	private boolean deleteLocks(JdbcClient client) {
		List<String> unused = client.sql(this.cleaning.unusedLocks(BATCH))
			.params(this.age, this.age)
			.withMaxRows(BATCH)
			.query(String.class)
			.list();
		List<String> free = unlocked(client, unused);
		if (free.isEmpty()) {
			return false;
		}
		int deleted = client.sql(this.cleaning.deleteUnusedLocks(free.size()))
			.params(free)
			.params(this.age, this.age)
			.update();
		return deleted > 0 && unused.size() == BATCH;
	}

	private List<String> unlocked(JdbcClient client, List<String> locks) {
		return locks.isEmpty() ? locks
				: client.sql(this.sql.unlockedLocks(locks.size())).params(locks).query(String.class).list();
	}

	private record Settled(String lock, long token) {

	}

}
