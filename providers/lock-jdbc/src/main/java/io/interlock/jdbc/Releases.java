package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

import io.interlock.LockMode;
import io.interlock.jdbc.Gathering.Answer;
import io.interlock.jdbc.Gathering.Question;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Ends what contenders hold or wait for, and tells the instances that wait where the
 * database can. A release counts even if the notification fails.
 */
final class Releases {

	/**
	 * SQL states of notifications that are not supported, not allowed or not known, or
	 * whose queue is full.
	 */
	private static final Pattern NOT_TOLD = Pattern.compile("0A|42|54");

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private final LockedRows lockedRows;

	private final ContenderRows rows;

	private final @Nullable FreedLocks told;

	private final Gathering<Boolean> together = new Gathering<>(this::releaseTogether);

	/**
	 * Create the releases of a store.
	 * @param lockedRows reaches rows that another transaction has locked
	 * @param told warns of what could not be told; {@code null} where nothing is told
	 */
	Releases(JdbcCalls calls, JdbcStatements sql, LockedRows lockedRows, @Nullable FreedLocks told) {
		this.calls = calls;
		this.sql = sql;
		this.lockedRows = lockedRows;
		this.rows = new ContenderRows(sql);
		this.told = told;
	}

	boolean release(LeaseContender contender) {
		if (this.told == null) {
			return releaseSilently(contender);
		}
		try {
			return releaseAndTell(contender);
		}
		catch (LeaseStoreException ex) {
			if (!isRefusal(NestedExceptionUtils.getMostSpecificCause(ex))) {
				throw ex;
			}
			boolean held = releaseSilently(contender);
			this.told.warn(ex);
			return held;
		}
	}

	/** Release a contender, together with others where the database can tell. */
	CompletionStage<Boolean> release(LeaseContender contender, Executor threads) {
		return (this.told != null && contender.mode() == LockMode.EXCLUSIVE)
				? this.together.ask(contender, Duration.ZERO, () -> release(contender), threads)
				: CompletableFuture.supplyAsync(() -> release(contender), threads);
	}

	private List<Answer<Boolean>> releaseTogether(List<Question<Boolean>> questions) {
		try {
			return this.calls.run((client) -> {
				List<String> untold = new ArrayList<>();
				List<Answer<Boolean>> answers = client.sql(this.sql.releaseOwnersAndTell())
					.param(Question.texts(questions, (contender) -> this.sql.idOf(contender.lock())))
					.param(Question.texts(questions, LeaseContender::id))
					.query((row, number) -> {
						addUntold(row, untold);
						return new Answer<>(row.getString("contender"), true);
					})
					.list();
				tell(client, untold);
				return answers;
			});
		}
		catch (LeaseStoreException ex) {
			if (!isRefusal(NestedExceptionUtils.getMostSpecificCause(ex))) {
				throw ex;
			}
			return List.of();
		}
	}

	private static boolean isRefusal(Throwable failure) {
		return failure instanceof SQLException refusal && refusal.getSQLState() != null
				&& NOT_TOLD.matcher(refusal.getSQLState()).lookingAt();
	}

	/** Note a lock whose newest contender the release may not have seen. */
	private static boolean addUntold(ResultSet row, List<String> untold) throws SQLException {
		return row.getObject("told") == null && untold.add(row.getString("lock_id"));
	}

	/**
	 * Tell of released locks by another statement, which sees who has joined meanwhile.
	 */
	private void tell(JdbcClient client, List<String> locks) {
		locks.forEach((lock) -> client.sql(this.sql.tellWaiters()).param(lock).query((row, number) -> true).list());
	}

	private boolean releaseSilently(LeaseContender contender) {
		return release(contender, this.sql.releaseOwner(), this.sql.releaseContender(),
				(client, statement) -> statement.update(), JdbcClient.StatementSpec::update);
	}

	private boolean releaseAndTell(LeaseContender contender) {
		return release(contender, this.sql.releaseOwnerAndTell(), this.sql.releaseContenderAndTell(),
				this::releaseOwnerAndTell, Releases::rows);
	}

	private int releaseOwnerAndTell(JdbcClient client, JdbcClient.StatementSpec statement) {
		List<String> untold = new ArrayList<>();
		int released = statement.query((row, number) -> addUntold(row, untold)).list().size();
		tell(client, untold);
		return released;
	}

	private boolean release(LeaseContender contender, String releaseOwner, String releaseContender,
			ToIntBiFunction<JdbcClient, JdbcClient.StatementSpec> owners,
			ToIntFunction<JdbcClient.StatementSpec> rows) {
		String lock = this.sql.idOf(contender.lock());
		return this.lockedRows.run((client) -> this.rows.lock(client, contender), (client) -> {
			boolean released = (contender.mode() == LockMode.EXCLUSIVE
					&& owners.applyAsInt(client, client.sql(releaseOwner).params(lock, contender.id())) == 1)
					|| rows.applyAsInt(client.sql(releaseContender).param(contender.id())) == 1;
			if (!released && this.rows.exist(client, contender)) {
				throw LockedRows.passedOver(null);
			}
			return released;
		});
	}

	private static int rows(JdbcClient.StatementSpec statement) {
		return statement.query((row, number) -> number).list().size();
	}

}
