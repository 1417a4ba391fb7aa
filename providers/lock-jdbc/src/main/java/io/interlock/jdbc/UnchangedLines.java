package io.interlock.jdbc;

import java.time.Duration;
import java.util.OptionalLong;

import io.interlock.lease.LeaseContender;

/**
 * Acquires an exclusive lock whose line was read, if it has not changed since, by one
 * statement of PostgreSQL. Each contender that joins the line gives the lock another last
 * number first, in the same transaction. So no contender has come if that number is the
 * one that was read, and those that have gone were in the way of none. Other databases
 * can read a number whose contender they do not see yet.
 */
final class UnchangedLines {

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	UnchangedLines(JdbcCalls calls, JdbcStatements sql) {
		this.calls = calls;
		this.sql = sql;
	}

	/**
	 * Acquire a lock for a contender that its line admits.
	 * @return the token, or empty if the line has changed, or its row is locked
	 */
	OptionalLong own(LeaseContender contender, LockRow line, Duration lease) {
		boolean others = line.places().stream().anyMatch((place) -> !place.contender().equals(contender.id()));
		return this.calls.run((client) -> client.sql(this.sql.ownUnchanged())
			.params(contender.id(), ReadableText.of(contender.instance()), lease.toMillis(), others ? 1 : 0,
					this.sql.idOf(contender.lock()), line.lastToken(), contender.id())
			.query(Long.class)
			.stream()
			.mapToLong(Long::longValue)
			.findFirst());
	}

}
