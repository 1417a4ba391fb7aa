package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * Makes rows of locks that have none. A contender that waits has a row of its own beside
 * that of its lock, so a lock without a row is free, and whoever makes its row holds it
 * from then on and passes no other contender.
 */
final class NewRows {

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private final NewRowStatements statements;

	private final boolean returning;

	private final boolean atOnce;

	NewRows(JdbcCalls calls, JdbcStatements sql, JdbcLeaseStoreSettings settings) {
		this.calls = calls;
		this.sql = sql;
		this.statements = new NewRowStatements(sql);
		this.returning = settings.returning();
		this.atOnce = settings.telling();
	}

	/**
	 * Acquire a lock that has no row, or make its row. For other modes than the exclusive
	 * one a lock takes two rows, which PostgreSQL makes by one statement: transactions of
	 * other databases that make both end in deadlocks.
	 * @return the token, or empty if the lock has a row now that the contender does not
	 * hold
	 */
	OptionalLong acquireOrMake(LeaseContender contender, Duration lease) {
		OptionalLong token = OptionalLong.empty();
		if (contender.mode() == LockMode.EXCLUSIVE) {
			token = unlessThere((client) -> own(client, contender, lease));
		}
		else if (this.atOnce) {
			token = unlessThere((client) -> join(client, contender, lease));
		}
		if (token.isEmpty()) {
			make(contender.lock());
		}
		return token;
	}

	private OptionalLong unlessThere(Function<JdbcClient, OptionalLong> insertion) {
		try {
			return this.calls.run(insertion);
		}
		catch (LeaseStoreException ex) {
			if (ex.getCause() instanceof DuplicateKeyException) {
				return OptionalLong.empty();
			}
			throw ex;
		}
	}

	private OptionalLong own(JdbcClient client, LeaseContender contender, Duration lease) {
		String lock = this.sql.idOf(contender.lock());
		JdbcClient.StatementSpec statement = client.sql(this.statements.owned())
			.params(names(contender.lock()))
			.params(contender.id(), ReadableText.of(contender.instance()), lease.toMillis(), lock);
		if (!this.returning) {
			return (statement.update() == 1) ? token(client.sql(this.sql.ownerToken()).params(lock, contender.id()))
					: OptionalLong.empty();
		}
		GeneratedKeyHolder token = new GeneratedKeyHolder();
		statement.update(token, "owner_token");
		Number value = token.getKey();
		return (value != null) ? OptionalLong.of(value.longValue()) : OptionalLong.empty();
	}

	private OptionalLong join(JdbcClient client, LeaseContender contender, Duration lease) {
		return token(client.sql(this.statements.queuedWithContender())
			.params(names(contender.lock()))
			.param(this.sql.idOf(contender.lock()))
			.params(WaitingPlaces.values(contender, lease)));
	}

	private static OptionalLong token(JdbcClient.StatementSpec query) {
		return query.query(Long.class).stream().mapToLong(Long::longValue).findFirst();
	}

	private void make(LockId id) {
		this.calls.run((client) -> {
			try {
				return client.sql(this.statements.free()).params(names(id)).update();
			}
			catch (DuplicateKeyException ex) {
				// Another contender has made the row.
				return 0;
			}
		});
	}

	private List<String> names(LockId id) {
		String key = id.key();
		return List.of(this.sql.idOf(id), this.sql.nameOf(id), (key != null) ? ReadableText.of(key) : "");
	}

}
