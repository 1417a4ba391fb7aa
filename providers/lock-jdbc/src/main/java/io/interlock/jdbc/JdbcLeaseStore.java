package io.interlock.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.admin.LockInspector;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLine;
import io.interlock.lease.LeaseLine.Lines;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.RunRecords;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.Assert;

/**
 * Leases in the tables {@code interlock_lock} and {@code interlock_contender}, whose
 * version is in {@code interlock_version}; last runs of jobs are in
 * {@code interlock_run}. Safe for use by many threads.
 * <p>
 * Each lock is a row: the number that was given out last, and its exclusive holder with
 * the end of its lease. Readers, permits and waiters are rows of the other table, in the
 * order of their turns. Invariants:
 * <ul>
 * <li>A lock without rows of contenders has {@code queued = 0}, except for a while after
 * the last one has gone; a lock with such rows never has it. So an exclusive lock that is
 * free is acquired by one statement, which looks at its own row only.
 * <li>A lock without a row is free, and has no contenders. The first one makes the row,
 * and holds the lock with it.
 * <li>Everything else changes a lock in a transaction that updates its row first, so that
 * such transactions come one after the other on every database and in every isolation. A
 * contender that has to wait joins in one that reads nothing, and looks at the line
 * before and after, when the row is not locked. PostgreSQL takes a line that has not
 * changed since by one statement.
 * <li>Where the database tells of releases, a contender that has joined looks at the line
 * behind the commit of its place, so that it sees each release that could not tell it.
 * <li>Numbers only grow: one more than the last one, and not less than the time in
 * microseconds. So they go on above the old ones when the row of a lock was removed and
 * is made again, and when the database has lost its last transactions.
 * <li>The row of a lock is deleted when its last lease ended long ago, its last number
 * was given out long ago, and no contender has a row, even if it still names a holder.
 * <li>Times are those of the database. A lease that is over is not extended.
 * </ul>
 *
 * @since 0.1.0
 */
public final class JdbcLeaseStore implements LeaseStore, RunRecords {

	/** What locks in a database can do. */
	public static final LockCapabilities CAPABILITIES = new LockCapabilities(true, true, true, false, true);

	/** How long an instance without waiting contenders goes on to listen. */
	private static final Duration LISTENING = Duration.ofMinutes(1);

	private final JdbcCalls calls;

	private final JdbcLeaseStoreSettings settings;

	private final LeaseStoreAddress address;

	private final TableCheck tableCheck;

	private final JdbcStatements sql;

	private final TableVersion version;

	private final UnusedRows unusedRows;

	private final FreedLocks freed;

	private final FreeRows freeRows;

	private final NewRows newRows;

	private final UnchangedLines unchangedLines;

	private final WaitingPlaces places;

	private final Renewals renewals;

	private final Gathering<LeaseAnswer> acquisitions;

	private final Releases releases;

	private final LockedRows lockedRows;

	private final KeptHolds keptHolds;

	private final RunRows runs;

	private final LockLines lines;

	/**
	 * Create a store whose tables are there.
	 * @param dataSource the database; not closed with this store
	 * @param settings how to behave
	 */
	public JdbcLeaseStore(DataSource dataSource, JdbcLeaseStoreSettings settings) {
		this(dataSource, dataSource, null, settings, new LeaseStoreAddress("Database",
				dataSource.getClass().getSimpleName(), tables(settings.tablePrefix()), "the DataSource"), null);
	}

	/**
	 * Create a store, with connections of their own for renewals. A renewal that gets
	 * none loses all holds of the instance.
	 * @param dataSource the database; not closed with this store
	 * @param renewals the same database, with two connections that no other call keeps
	 * from the thread that renews, and from the one that renews alone; not closed with
	 * this store. If it is {@code dataSource} itself, none waits for a locked row
	 * @param listening the same database, for one connection that listens while
	 * contenders wait, or {@code null} if none is to; not closed with this store
	 * @param settings how to behave
	 * @param address where the database is, for logs
	 * @param refusal why the database has refused the script that creates the tables, or
	 * {@code null} if it has not
	 */
	public JdbcLeaseStore(DataSource dataSource, DataSource renewals, @Nullable DataSource listening,
			JdbcLeaseStoreSettings settings, LeaseStoreAddress address, @Nullable String refusal) {
		Assert.notNull(dataSource, "'dataSource' must not be null");
		Assert.notNull(renewals, "'renewals' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		this.calls = new JdbcCalls(dataSource, settings.tablePrefix(), settings.callTimeout());
		this.settings = settings;
		this.address = address;
		this.sql = new JdbcStatements(settings);
		this.tableCheck = new TableCheck(this.calls, this.sql, tables(settings.tablePrefix()), settings.tablePrefix(),
				refusal);
		this.renewals = new Renewals(new JdbcCalls(renewals, settings.tablePrefix(), settings.callTimeout()),
				(renewals != dataSource)
						? new JdbcCalls(renewals, settings.tablePrefix(), settings.callTimeout().dividedBy(2)) : null,
				this.sql, settings.skipLocked());
		this.version = new TableVersion(this.calls, this.sql);
		this.freeRows = new FreeRows(this.calls, this.sql, settings.returning());
		this.newRows = new NewRows(this.calls, this.sql, settings);
		this.unchangedLines = new UnchangedLines(this.calls, this.sql);
		this.places = new WaitingPlaces(this.calls, this.sql, settings.telling());
		this.acquisitions = new Gathering<>((questions) -> {
			this.version.check();
			return this.freeRows.acquire(questions);
		});
		this.unusedRows = new UnusedRows(this.calls, this.sql, settings);
		this.freed = new FreedLocks(listening, this.calls, this.sql, LISTENING);
		this.releases = new Releases(this.calls, this.sql, new LockedRows(this.calls),
				settings.telling() ? this.freed : null);
		this.lockedRows = new LockedRows(this.calls);
		this.keptHolds = new KeptHolds(this.calls, this.sql, new LockedRows(this.calls));
		this.runs = new RunRows(this.calls, this.sql);
		this.lines = new LockLines(this.calls, this.sql, settings);
	}

	@Override
	public LockCapabilities capabilities() {
		return CAPABILITIES;
	}

	@Override
	public LeaseStoreAddress address() {
		return this.address;
	}

	@Override
	public void check() {
		this.tableCheck.run();
		this.version.check();
	}

	/**
	 * Return the names of the tables of the locks, for messages.
	 * @param tablePrefix how their names begin
	 * @return the names of those that the user of the database changes
	 */
	public static String tables(String tablePrefix) {
		return "tables %1$slock and %1$scontender".formatted(tablePrefix);
	}

	@Override
	public LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits) {
		return waits ? this.freed.ask(contender, () -> ask(contender, lease, true)) : ask(contender, lease, false);
	}

	@Override
	public CompletionStage<LeaseAnswer> acquire(LeaseContender contender, Duration lease, boolean waits,
			Executor threads) {
		if (!this.settings.telling() || contender.mode() != LockMode.EXCLUSIVE) {
			return LeaseStore.super.acquire(contender, lease, waits, threads);
		}
		Supplier<LeaseAnswer> line = () -> askInLine(contender, lease, waits);
		return this.acquisitions.ask(contender, lease, () -> waits ? this.freed.ask(contender, line) : line.get(),
				threads);
	}

	private LeaseAnswer ask(LeaseContender contender, Duration lease, boolean waits) {
		this.version.check();
		if (contender.mode() == LockMode.EXCLUSIVE) {
			OptionalLong token = this.freeRows.acquire(contender, lease);
			if (token.isPresent()) {
				return LeaseAnswer.granted(token.getAsLong());
			}
		}
		return askInLine(contender, lease, waits);
	}

	/**
	 * Look at the line before its row is locked, unless a lock that is free would cost
	 * one statement more.
	 */
	private LeaseAnswer askInLine(LeaseContender contender, Duration lease, boolean waits) {
		if (waits && contender.mode() != LockMode.EXCLUSIVE) {
			return contend(contender, lease, true);
		}
		LockRow line = read(contender);
		if (line == null) {
			OptionalLong token = this.newRows.acquireOrMake(contender, lease);
			return token.isPresent() ? LeaseAnswer.granted(token.getAsLong()) : contend(contender, lease, waits);
		}
		if (!line.refuses(contender)) {
			return take(line, contender, lease, waits);
		}
		return waits ? join(line, contender, lease) : LeaseAnswer.heldBy(line.holderToken());
	}

	/** The holder may release the lock before the contender has joined. */
	private LeaseAnswer join(LockRow line, LeaseContender contender, Duration lease) {
		return (line.dead().isEmpty() && this.places.join(contender, lease)) ? askInTurn(contender, lease)
				: contend(contender, lease, true);
	}

	@Override
	public LeaseAnswer acquireInTurn(LeaseContender contender, Duration lease) {
		return this.freed.ask(contender, () -> askInTurn(contender, lease));
	}

	private LeaseAnswer askInTurn(LeaseContender contender, Duration lease) {
		LockRow line = read(contender);
		if (line != null && line.keepsWaiting(contender)) {
			return LeaseAnswer.heldBy(line.holderToken());
		}
		return (line != null) ? take(line, contender, lease, true) : contend(contender, lease, true);
	}

	private LeaseAnswer take(LockRow line, LeaseContender contender, Duration lease, boolean waits) {
		boolean admitted = this.settings.telling() && contender.mode() == LockMode.EXCLUSIVE && line.admits(contender);
		OptionalLong token = admitted ? this.unchangedLines.own(contender, line, lease) : OptionalLong.empty();
		return token.isPresent() ? LeaseAnswer.granted(token.getAsLong()) : contend(contender, lease, waits);
	}

	@SuppressWarnings("NullAway") // cannot infer type arguments that may be null
	private @Nullable LockRow read(LeaseContender contender) {
		return this.calls.run((client) -> read(client, this.sql.idOf(contender.lock())));
	}

	private @Nullable LockRow read(JdbcClient client, String lock) {
		return new LockRowMapper(this.settings.tablePrefix()).read(client.sql(this.sql.line()).param(lock));
	}

	/**
	 * Acquire a lock in turn, or join the contenders that wait. A release that was
	 * committed after the look at the line may not have seen a contender that has joined.
	 */
	private LeaseAnswer contend(LeaseContender contender, Duration lease, boolean waits) {
		LeaseAnswer answer = takeOrJoin(contender, lease, waits);
		if (answer.granted() || !waits || !this.settings.telling()) {
			return answer;
		}
		LockRow line = read(contender);
		return (line != null && line.keepsWaiting(contender)) ? LeaseAnswer.heldBy(line.holderToken())
				: takeOrJoin(contender, lease, true);
	}

	@SuppressWarnings("NullAway") // cannot infer type arguments that may be null
	private LeaseAnswer takeOrJoin(LeaseContender contender, Duration lease, boolean waits) {
		String lock = this.sql.idOf(contender.lock());
		while (true) {
			LeaseAnswer answer = this.lockedRows.runInTransaction((client) -> lockRow(client, lock), (client) -> {
				LockRow line = lockAndRead(client, lock);
				return (line != null) ? new RowLock(client, this.sql, lock, contender, line).take(lease, waits) : null;
			});
			if (answer != null) {
				return answer;
			}
			OptionalLong token = this.newRows.acquireOrMake(contender, lease);
			if (token.isPresent()) {
				return LeaseAnswer.granted(token.getAsLong());
			}
		}
	}

	private @Nullable LockRow lockAndRead(JdbcClient client, String lock) {
		boolean locked = client.sql(this.sql.nextToken()).param(lock).update() == 1;
		LockRow line = read(client, lock);
		if (line != null && !locked) {
			throw LockedRows.passedOver(null);
		}
		return line;
	}

	private void lockRow(JdbcClient client, String lock) {
		client.sql(this.sql.lockRow()).param(lock).query(String.class).list();
	}

	@Override
	public Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		return this.renewals.renew(contenders, lease);
	}

	@Override
	public Renewed renewAlone(LeaseContender contender, Duration lease) {
		return this.renewals.renewAlone(contender, lease);
	}

	@Override
	public boolean keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		return this.keptHolds.keep(contender, kept, rest);
	}

	@Override
	public boolean release(LeaseContender contender) {
		this.freed.forget(contender);
		return this.releases.release(contender);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseContender contender, Executor threads) {
		this.freed.forget(contender);
		return this.releases.release(contender, threads);
	}

	@Override
	public boolean isHeld(LeaseContender contender) {
		LockRow line = read(contender);
		return line != null && (line.isOwnedBy(contender)
				|| line.placeOf(contender).filter((place) -> place.token() != null).isPresent());
	}

	@Override
	public Set<LeaseContender> held(Collection<LeaseContender> contenders) {
		return this.keptHolds.held(contenders);
	}

	@Override
	public Lines lines(LockInspector.Query query) {
		return this.lines.lines(query);
	}

	@Override
	public Optional<LeaseLine> line(LockId lock) {
		return this.lines.line(lock);
	}

	@Override
	public void listen(Consumer<LockId> freed) {
		this.freed.listen(freed);
	}

	@Override
	public boolean isTelling() {
		return this.freed.isTelling();
	}

	@Override
	public boolean clean() {
		this.version.check();
		return this.unusedRows.delete();
	}

	@Override
	public void record(Run run) {
		this.runs.record(run);
	}

	@Override
	public List<Run> runs(Collection<String> names) {
		return this.runs.runs(names);
	}

	@Override
	public void close() {
		this.freed.close();
	}

}
