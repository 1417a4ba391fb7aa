package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
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
 * <p>
 * A contender that waits is told of each release that was committed after its newest
 * look:
 * <ul>
 * <li>A contender looks once more when its place is committed. It sees the releases that
 * were committed before.
 * <li>A release that is committed later tells the places that its statement sees. Others
 * were committed meanwhile, and another statement behind the commit tells them.
 * <li>That statement is sent unless there are no such places. A contender that joins
 * locks the row of the lock, and gives it another number. So the release of an exclusive
 * holder, which locks that row too, sees by the number whether one has joined. The
 * release of any other contender leaves the row alone, and always sends the statement.
 * </ul>
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
			List<Release> incomplete = new ArrayList<>();
			boolean released = releaseAndTell(contender, incomplete);
			tellOthers(incomplete);
			return released;
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
			List<Release> incomplete = new ArrayList<>();
			List<Answer<Boolean>> answers = this.calls.run((client) -> client.sql(this.sql.releaseOwnersAndTell())
				.param(Question.texts(questions, (contender) -> this.sql.idOf(contender.lock())))
				.param(Question.texts(questions, LeaseContender::id))
				.query((row, number) -> {
					addIncomplete(row, incomplete);
					return new Answer<>(row.getString("contender"), true);
				})
				.list());
			tellOthers(incomplete);
			return answers;
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

	private static boolean addIncomplete(ResultSet row, List<Release> incomplete) throws SQLException {
		return row.getInt("told_all") == 1 || incomplete
			.add(new Release(row.getString("lock_id"), Objects.requireNonNullElse(row.getString("told"), "")));
	}

	/**
	 * Tell those that the releases have not seen. They learn of them within a second if
	 * that fails.
	 */
	private void tellOthers(List<Release> incomplete) {
		if (incomplete.isEmpty()) {
			return;
		}
		try {
			this.calls.run((client) -> incomplete.stream()
				.map((release) -> client.sql(this.sql.tellOthers())
					.params(release.lock(), release.told())
					.query((row, number) -> true)
					.list())
				.toList());
		}
		catch (LeaseStoreException ex) {
			if (this.told != null && isRefusal(NestedExceptionUtils.getMostSpecificCause(ex))) {
				this.told.warn(ex);
			}
		}
	}

	private boolean releaseSilently(LeaseContender contender) {
		return release(contender, this.sql.releaseOwner(), this.sql.releaseContender(),
				JdbcClient.StatementSpec::update);
	}

	private boolean releaseAndTell(LeaseContender contender, List<Release> incomplete) {
		return release(contender, this.sql.releaseOwnerAndTell(), this.sql.releaseContenderAndTell(),
				(statement) -> statement.query((row, number) -> addIncomplete(row, incomplete)).list().size());
	}

	private boolean release(LeaseContender contender, String releaseOwner, String releaseContender,
			ToIntFunction<JdbcClient.StatementSpec> rows) {
		String lock = this.sql.idOf(contender.lock());
		return this.lockedRows.run((client) -> this.rows.lock(client, contender), (client) -> {
			boolean released = (contender.mode() == LockMode.EXCLUSIVE
					&& rows.applyAsInt(client.sql(releaseOwner).params(lock, contender.id())) == 1)
					|| rows.applyAsInt(client.sql(releaseContender).param(contender.id())) == 1;
			if (!released && this.rows.exist(client, contender)) {
				throw LockedRows.passedOver(null);
			}
			return released;
		});
	}

	/**
	 * A release that may not have told all that wait.
	 *
	 * @param lock the identifier of the lock
	 * @param told the words that it has told
	 */
	private record Release(String lock, String told) {

	}

}
