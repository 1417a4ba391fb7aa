package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;

import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Gives contenders that wait a place in the line of their lock, and has the row of the
 * lock locked for as short as the database allows: nothing is read meanwhile, so that the
 * renewal of the holder finds the row unlocked, however slow the line of a waiter is.
 */
final class WaitingPlaces {

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private final boolean atOnce;

	/**
	 * Create the places of a store.
	 * @param atOnce whether the database joins a contender by one statement
	 */
	WaitingPlaces(JdbcCalls calls, JdbcStatements sql, boolean atOnce) {
		this.calls = calls;
		this.sql = sql;
		this.atOnce = atOnce;
	}

	/**
	 * Join the line of a lock.
	 * @return whether the contender has a place now; {@code false} if it had one before,
	 * or the lock has no row
	 */
	boolean join(LeaseContender contender, Duration lease) {
		String lock = this.sql.idOf(contender.lock());
		try {
			return this.atOnce ? this.calls
				.run((client) -> client.sql(this.sql.join()).param(lock).params(values(contender, lease)).update() == 1)
					: this.calls.runInTransaction((client) -> join(client, lock, values(contender, lease)));
		}
		catch (LeaseStoreException ex) {
			if (ex.getCause() instanceof DuplicateKeyException) {
				return false;
			}
			throw ex;
		}
	}

	private boolean join(JdbcClient client, String lock, List<Object> values) {
		return client.sql(this.sql.nextTurn()).param(lock).update() == 1
				&& client.sql(this.sql.insertWaiting()).params(values).param(lock).update() == 1;
	}

	/**
	 * Return the values of the row of a contender: all but its lock and its numbers.
	 */
	static List<Object> values(LeaseContender contender, Duration lease) {
		return List.of(contender.id(), ReadableText.of(contender.instance()), contender.mode().name(),
				contender.permits(), contender.first() ? -1 : 1, lease.toMillis());
	}

}
