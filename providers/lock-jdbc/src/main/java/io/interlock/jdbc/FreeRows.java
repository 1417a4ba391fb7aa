package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

import io.interlock.jdbc.Gathering.Answer;
import io.interlock.jdbc.Gathering.Question;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;

/**
 * Acquires exclusive locks that are free and have no contenders, by one statement that
 * looks at their own rows only.
 */
final class FreeRows {

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private final boolean returning;

	FreeRows(JdbcCalls calls, JdbcStatements sql, boolean returning) {
		this.calls = calls;
		this.sql = sql;
		this.returning = returning;
	}

	/**
	 * Acquire a lock without contenders that is free.
	 */
	OptionalLong acquire(LeaseContender contender, Duration lease) {
		return this.calls.run((client) -> acquire(client, contender, lease));
	}

	private OptionalLong acquire(JdbcClient client, LeaseContender contender, Duration lease) {
		JdbcClient.StatementSpec statement = client.sql(this.sql.acquireFree())
			.params(contender.id(), ReadableText.of(contender.instance()), lease.toMillis(),
					this.sql.idOf(contender.lock()));
		if (!this.returning) {
			return (statement.update() == 1) ? ownerToken(client, contender) : OptionalLong.empty();
		}
		GeneratedKeyHolder token = new GeneratedKeyHolder();
		boolean acquired = statement.update(token, "owner_token") == 1;
		Number value = acquired ? token.getKey() : null;
		return (value != null) ? OptionalLong.of(value.longValue()) : OptionalLong.empty();
	}

	/**
	 * Acquire several locks, and answer for those that were free.
	 */
	List<Answer<LeaseAnswer>> acquire(List<Question<LeaseAnswer>> questions) {
		return this.calls.run((client) -> client.sql(this.sql.acquireFreeTogether())
			.param(Question.texts(questions, (contender) -> this.sql.idOf(contender.lock())))
			.param(Question.texts(questions, LeaseContender::id))
			.param(Question.texts(questions, (contender) -> ReadableText.of(contender.instance())))
			.param(questions.stream().map((question) -> question.lease().toMillis()).toArray(Long[]::new))
			.query((row, number) -> new Answer<>(row.getString(1), LeaseAnswer.granted(row.getLong(2))))
			.list());
	}

	private OptionalLong ownerToken(JdbcClient client, LeaseContender contender) {
		return client.sql(this.sql.ownerToken())
			.params(this.sql.idOf(contender.lock()), contender.id())
			.query(Long.class)
			.optional()
			.map(OptionalLong::of)
			.orElse(OptionalLong.empty());
	}

}
