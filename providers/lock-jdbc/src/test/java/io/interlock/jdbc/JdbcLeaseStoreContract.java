package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.internal.LockHash;
import io.interlock.jdbc.autoconfigure.JdbcLockAutoConfiguration;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore.Renewed;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.RunRecords.Run;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.page.PageBlocks;
import io.interlock.testsupport.thread.Background;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * What {@link JdbcLeaseStore} owes beyond the contract of providers, on one of the
 * databases. Its clock is a row that a test sets.
 */
abstract class JdbcLeaseStoreContract {

	static final Duration LEASE = Duration.ofSeconds(15);

	private static final Duration KEEP_UNUSED = Duration.ofDays(1);

	private static final String CLOCK = "(SELECT millis FROM test_clock)";

	private static final long START = 1_800_000_000_000L;

	private final JdbcInstances instances;

	private final LockDatabase database;

	private final HikariDataSource pool;

	private final JdbcClient client;

	private final JdbcLeaseStore store;

	private long now = START;

	JdbcLeaseStoreContract(LockDatabase database, String url) {
		this.instances = new JdbcInstances(database, url, LEASE, 4);
		this.instances.createTables();
		this.database = database;
		this.pool = this.instances.pool();
		this.client = JdbcClient.create(this.pool);
		this.store = store(CLOCK);
	}

	private JdbcLeaseStore store(String clock) {
		return store(clock, "interlock_");
	}

	private JdbcLeaseStore store(String clock, String tablePrefix) {
		return store(this.pool, clock, tablePrefix, false);
	}

	private JdbcLeaseStore store(DataSource dataSource, String clock, String tablePrefix, boolean telling) {
		return new JdbcLeaseStore(dataSource,
				new JdbcLeaseStoreSettings(clock, this.database.returning(), true, this.database.byKey(),
						LEASE.dividedBy(3), KEEP_UNUSED, tablePrefix, telling, "",
						this.database != LockDatabase.MYSQL));
	}

	/** Return whether the store tells of releases, for each way to join. */
	private List<Boolean> waysToJoin() {
		return (this.database == LockDatabase.POSTGRESQL) ? List.of(false, true) : List.of(false);
	}

	/** A driver and a server log each statement that fails. */
	@Test
	void rowThatAnotherCallerHasMadeFailsNoStatement() {
		assumeThat(this.database).as("tells no log of a duplicate").isNotEqualTo(LockDatabase.H2);
		JdbcStatements sql = new JdbcStatements(
				new JdbcLeaseStoreSettings(CLOCK, this.database.returning(), true, this.database.byKey(),
						LEASE.dividedBy(3), KEEP_UNUSED, "interlock_", this.database == LockDatabase.POSTGRESQL));
		NewRowStatements rows = new NewRowStatements(sql);
		for (String name : List.of("first", "second")) {
			this.client.sql(rows.free()).params("a lock", name, "").update();
			this.client.sql(rows.owned()).params("a lock", name, "", name, "shop", 1, "a lock").update();
			this.client.sql(sql.insertRun()).params(name, "", "shop", 1, 1, "SUCCESS", 1, "a lock").update();
		}
		assertThat(this.client.sql("SELECT lock_name FROM interlock_lock WHERE lock_id = 'a lock'")
			.query(String.class)
			.list()).containsExactly("first");
		assertThat(this.client.sql("SELECT lock_name FROM interlock_run WHERE lock_id = 'a lock'")
			.query(String.class)
			.list()).containsExactly("first");
		this.client.sql("DELETE FROM interlock_run").update();
	}

	@BeforeEach
	void createClock() {
		this.client.sql("CREATE TABLE test_clock (millis BIGINT NOT NULL)").update();
		this.client.sql("INSERT INTO test_clock VALUES (?)").param(this.now).update();
	}

	@AfterEach
	void removeRows() {
		try {
			this.client.sql("DELETE FROM interlock_contender").update();
			this.client.sql("DELETE FROM interlock_lock").update();
			this.client.sql("DROP TABLE test_clock").update();
		}
		finally {
			this.instances.close();
		}
	}

	private void advance(Duration time) {
		this.now += time.toMillis();
		this.client.sql("UPDATE test_clock SET millis = ?").param(this.now).update();
	}

	private static LeaseContender contender(String lock, LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId(lock, null), mode, 1, false);
	}

	private static LeaseContender contender(String lock) {
		return contender(lock, LockMode.EXCLUSIVE);
	}

	private long acquire(JdbcLeaseStore store, LeaseContender contender) {
		LeaseAnswer answer = store.acquire(contender, LEASE, false);
		assertThat(answer.granted()).isTrue();
		return answer.token();
	}

	@Test
	void checkOfUsableTablesLeavesNothingBehind() {
		this.store.check();
		assertThat(this.client.sql("SELECT COUNT(*) FROM interlock_lock").query(Integer.class).single()).isZero();
		assertThat(this.client.sql("SELECT COUNT(*) FROM interlock_contender").query(Integer.class).single()).isZero();
	}

	@Test
	void releaseOfFormerHolderLeavesTheNextOne() {
		LeaseContender former = contender("stock");
		acquire(this.store, former);
		advance(LEASE.plusMillis(1));
		LeaseContender next = contender("stock");
		acquire(this.store, next);
		assertThat(this.store.release(former)).isFalse();
		assertThat(this.store.isHeld(next)).isTrue();
		assertThat(this.store.acquire(contender("stock"), LEASE, false).granted()).isFalse();
	}

	@Test
	void tryDoesNotOvertakeContenderThatWaitsForFreeLock() {
		LeaseContender holder = contender("stock");
		acquire(this.store, holder);
		LeaseContender waiter = contender("stock");
		assertThat(this.store.acquire(waiter, LEASE, true).granted()).isFalse();
		assertThat(this.store.release(holder)).isTrue();
		assertThat(this.store.acquire(contender("stock"), LEASE, false).granted()).isFalse();
		assertThat(this.store.acquireInTurn(waiter, LEASE).granted()).isTrue();
	}

	@Test
	void otherInstanceAnswersForTheLastRun() {
		Instant start = Instant.ofEpochMilli(START);
		Run success = new Run("report", null, "first", start, Duration.ofSeconds(5), "success", start.plusSeconds(5));
		this.store.record(success);
		try (JdbcLeaseStore second = store(CLOCK)) {
			assertThat(second.runs(Set.of("report", "unknown"))).containsExactly(success);
			Run failure = new Run("report", "a", "second", start.plusSeconds(9), Duration.ZERO, "java.io.IOException",
					null);
			second.record(failure);
			assertThat(this.store.runs(Set.of("report"))).containsExactly(failure);
		}
	}

	@Test
	void locksNeedNoTableOfRuns() {
		this.client.sql("DROP TABLE interlock_run").update();
		this.store.check();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.runs(Set.of("report")));
		assertThat(acquire(this.store, contender("stock"))).isPositive();
	}

	@Test
	void checkHarmsNoLock() {
		LeaseContender holder = contender("stock");
		long token = acquire(this.store, holder);
		this.store.check();
		assertThat(this.store.isHeld(holder)).isTrue();
		assertThat(acquire(this.store, holder)).isEqualTo(token);
	}

	private long acquireAndRelease(JdbcLeaseStore store, LeaseContender contender) {
		long token = acquire(store, contender);
		assertThat(store.release(contender)).isTrue();
		return token;
	}

	@Test
	void tokensGrowWhenTheDatabaseHasForgottenTheLastOnes() {
		for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
			String lock = "restored-" + mode;
			long first = acquireAndRelease(this.store, contender(lock));
			Map<String, Object> backup = this.client.sql("SELECT * FROM interlock_lock WHERE lock_name = ?")
				.param(lock)
				.query()
				.singleRow();
			advance(Duration.ofMillis(1));
			long forgotten = first;
			for (int i = 0; i < 10; i++) {
				forgotten = acquireAndRelease(this.store, contender(lock, mode));
			}
			assertThat(forgotten).isGreaterThan(first);
			advance(Duration.ofMillis(1));
			this.client.sql("UPDATE interlock_lock SET token = ?, owner_token = ?, queued = ? WHERE lock_name = ?")
				.params(backup.get("token"), backup.get("owner_token"), backup.get("queued"), lock)
				.update();
			assertThat(acquireAndRelease(this.store, contender(lock, mode))).isGreaterThan(forgotten);
		}
	}

	@Test
	void tokensGrowWhenTheClockStandsStillOrIsSetBack() {
		long last = 0;
		for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.EXCLUSIVE, LockMode.SHARED, LockMode.SHARED,
				LockMode.EXCLUSIVE, LockMode.PERMIT, LockMode.EXCLUSIVE)) {
			long token = acquireAndRelease(this.store, contender("stock", mode));
			assertThat(token).isGreaterThan(last);
			last = token;
		}
		advance(Duration.ofHours(-1));
		assertThat(acquireAndRelease(this.store, contender("stock", LockMode.SHARED))).isGreaterThan(last);
		assertThat(acquireAndRelease(this.store, contender("stock"))).isGreaterThan(last + 1);
	}

	@Test
	void tokensAreNotBelowTheTimeInMicroseconds() {
		acquireAndRelease(this.store, contender("stock"));
		advance(Duration.ofMinutes(1));
		assertThat(acquireAndRelease(this.store, contender("stock"))).isEqualTo(this.now * 1000);
		advance(Duration.ofMinutes(1));
		assertThat(acquireAndRelease(this.store, contender("stock", LockMode.SHARED))).isEqualTo(this.now * 1000);
	}

	/**
	 * The clock of a database may go on within a statement.
	 */
	@Test
	void holderHasTheTokenThatItsRowHas() {
		JdbcLeaseStore running = store(this.database.clock());
		List<Long> tokens = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			LeaseContender contender = contender("stock", (i % 4 == 3) ? LockMode.SHARED : LockMode.EXCLUSIVE);
			long token = acquire(running, contender);
			tokens.add(token);
			assertThat(this.client
				.sql((contender.mode() == LockMode.SHARED) ? "SELECT token FROM interlock_contender WHERE contender = ?"
						: "SELECT owner_token FROM interlock_lock WHERE owner = ?")
				.param(contender.id())
				.query(Long.class)
				.single()).isEqualTo(token);
			// A second request whose first answer was lost gets the same.
			assertThat(acquire(running, contender)).isEqualTo(token);
			running.release(contender);
		}
		assertThat(tokens).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void refusalNamesTheTokenOfTheHolder() {
		long token = acquire(this.store, contender("stock"));
		LeaseContender waiting = contender("stock");
		assertThat(this.store.acquire(waiting, LEASE, true)).isEqualTo(LeaseAnswer.heldBy(token));
		assertThat(this.store.acquireInTurn(waiting, LEASE)).isEqualTo(LeaseAnswer.heldBy(token));
		LeaseContender reader = contender("prices", LockMode.SHARED);
		long shared = acquire(this.store, reader);
		assertThat(this.store.acquire(contender("prices"), LEASE, false)).isEqualTo(LeaseAnswer.heldBy(shared));
	}

	@Test
	void turnsKeepTheirOrder() {
		LeaseContender holder = contender("stock");
		acquire(this.store, holder);
		List<LeaseContender> waiting = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			waiting.add(contender("stock"));
			assertThat(this.store.acquire(waiting.get(i), LEASE, true).granted()).isFalse();
			if (i == 2) {
				advance(Duration.ofMillis(10));
			}
			if (i == 3) {
				advance(Duration.ofMillis(-20));
			}
		}
		this.store.release(holder);
		for (LeaseContender next : waiting) {
			waiting.stream()
				.filter((other) -> !other.equals(next))
				.filter((other) -> waiting.indexOf(other) > waiting.indexOf(next))
				.forEach((other) -> assertThat(this.store.acquireInTurn(other, LEASE).granted()).isFalse());
			assertThat(this.store.acquireInTurn(next, LEASE).granted()).isTrue();
			assertThat(this.store.release(next)).isTrue();
		}
	}

	@Test
	void freeAcquisitionAndItsReleaseAreOneStatementEachThatWritesFewColumns() {
		for (boolean telling : waysToJoin()) {
			WatchedDataSource watched = new WatchedDataSource(this.pool);
			JdbcLeaseStore free = store(watched, CLOCK, "interlock_", telling);
			acquireAndRelease(free, contender("stock"));
			watched.forget();
			acquireAndRelease(free, contender("stock"));
			assertFreeAcquisition(watched, List.of("owner", "instance", "lease_end"));
			removeContenders();
		}
	}

	/**
	 * Where the database tells of releases, those of several locks are sent together.
	 */
	@Test
	void listenerForRequestsOfOperatorsCostsAFreeAcquisitionNothing() throws Exception {
		WatchedDataSource watched = new WatchedDataSource(this.pool);
		LeaseLockProvider provider = new LeaseLockProvider(this.instances.store(watched),
				new LeaseSettings("test", Duration.ofHours(1), Duration.ofMillis(20), Duration.ofSeconds(10), 4, true));
		try {
			provider.passRequestsOn((holders, request) -> 0);
			acquireAndRelease(provider);
			watched.forget();
			acquireAndRelease(provider);
			assertFreeAcquisition(watched, (this.database == LockDatabase.POSTGRESQL) ? List.of("owner", "instance")
					: List.of("owner", "instance", "lease_end"));
		}
		finally {
			provider.close();
		}
	}

	private static void acquireAndRelease(LeaseLockProvider provider) throws Exception {
		LockGrant grant = provider.attempt(LockRequest.exclusive("stock"), LockCaller.current())
			.outcome()
			.get(30, TimeUnit.SECONDS)
			.orElseThrow();
		assertThat(grant.release().get(30, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
	}

	/**
	 * MySQL and MariaDB return no column of an update, so the token is read behind it.
	 */
	private void assertFreeAcquisition(WatchedDataSource watched, List<String> released) {
		Collection<String> statements = watched.statements;
		List<List<String>> written = statements.stream().map(JdbcLeaseStoreContract::writtenColumns).toList();
		List<String> acquired = List.of("owner", "instance", "owner_token", "lease_end");
		assertThat(watched.transactions).isEmpty();
		assertThat(written).as(() -> String.join("\n", statements))
			.isEqualTo(
					this.database.returning() ? List.of(acquired, released) : List.of(acquired, List.of(), released));
	}

	private static List<String> writtenColumns(String statement) {
		int set = statement.indexOf(" SET ");
		if (set < 0) {
			assertThat(statement).startsWith("SELECT ");
			return List.of();
		}
		assertThat(statement).containsOnlyOnce(" SET ").doesNotContain("INSERT ", "DELETE ");
		return Pattern.compile("(\\w+) = ")
			.matcher(statement.substring(set, statement.indexOf(" WHERE ", set)))
			.results()
			.map((column) -> column.group(1))
			.toList();
	}

	@Test
	void contenderThatHasToWaitReadsNothingWhileItHasTheRowLocked() {
		for (boolean telling : waysToJoin()) {
			WatchedDataSource watched = new WatchedDataSource(this.pool);
			JdbcLeaseStore waiting = store(watched, CLOCK, "interlock_", telling);
			LeaseContender holder = contender("stock");
			acquire(this.store, holder);
			waiting.acquire(contender("stock"), LEASE, true);
			watched.statements.clear();
			assertThat(waiting.acquire(contender("stock"), LEASE, true).granted()).isFalse();
			List<String> sent = watched.statements.stream().map((sql) -> sql.substring(0, 22)).toList();
			List<String> join = telling ? List.of("WITH turn AS (UPDATE i")
					: List.of("UPDATE interlock_lock ", "INSERT INTO interlock_");
			assertThat(sent).startsWith("UPDATE interlock_lock ", "SELECT l.owner, l.owne")
				.endsWith("SELECT l.owner, l.owne")
				.containsSubsequence(join)
				.hasSize(3 + join.size());
			removeContenders();
		}
	}

	@Test
	void lockThatIsReleasedBeforeAContenderHasJoinedIsAcquired() {
		for (boolean telling : waysToJoin()) {
			WatchedDataSource watched = new WatchedDataSource(this.pool);
			JdbcLeaseStore waiting = store(watched, CLOCK, "interlock_", telling);
			LeaseContender holder = contender("stock");
			acquire(this.store, holder);
			watched.swallowed = (sql) -> sql.contains("queued = 1") && this.store.release(holder) && false;
			LeaseContender next = contender("stock");
			assertThat(waiting.acquire(next, LEASE, true).granted()).isTrue();
			assertThat(this.store.isHeld(next)).isTrue();
			assertThat(this.store.release(next)).isTrue();
			assertThat(queued("stock")).isZero();
		}
	}

	@Test
	void lockWithContendersSaysSoWhicheverWayTheyJoined() {
		for (boolean telling : waysToJoin()) {
			JdbcLeaseStore waiting = store(this.pool, CLOCK, "interlock_", telling);
			LeaseContender holder = contender("stock");
			acquire(this.store, holder);
			LeaseContender later = contender("stock");
			waiting.acquire(later, LEASE, true);
			LeaseContender first = new LeaseContender(UUID.randomUUID().toString(), "test", later.lock(),
					LockMode.EXCLUSIVE, 1, true);
			waiting.acquire(first, LEASE, true);
			assertThat(queued("stock")).isOne();
			this.store.release(holder);
			assertThat(this.store.acquire(contender("stock"), LEASE, false).granted()).isFalse();
			assertThat(this.store.acquireInTurn(later, LEASE).granted()).isFalse();
			assertThat(waiting.acquireInTurn(first, LEASE).granted()).isTrue();
			this.store.release(first);
			assertThat(waiting.acquireInTurn(later, LEASE).granted()).isTrue();
			assertThat(queued("stock")).isZero();
			this.store.release(later);
		}
	}

	@Test
	void contenderThatIsDeadKeepsNoOtherFromItsTurn() {
		for (boolean telling : waysToJoin()) {
			JdbcLeaseStore waiting = store(this.pool, CLOCK, "interlock_", telling);
			LeaseContender holder = contender("stock");
			acquire(this.store, holder);
			LeaseContender dead = contender("stock");
			waiting.acquire(dead, LEASE, true);
			advance(LEASE.minusMillis(1));
			this.store.renew(List.of(holder), LEASE);
			advance(Duration.ofMillis(2));
			LeaseContender next = contender("stock");
			assertThat(waiting.acquire(next, LEASE, true).granted()).isFalse();
			assertThat(this.client.sql("SELECT contender FROM interlock_contender").query(String.class).list())
				.containsExactly(next.id());
			// It comes back at the end of the line.
			assertThat(waiting.acquireInTurn(dead, LEASE).granted()).isFalse();
			this.store.release(holder);
			assertThat(waiting.acquireInTurn(dead, LEASE).granted()).isFalse();
			assertThat(waiting.acquireInTurn(next, LEASE).granted()).isTrue();
			this.store.release(next);
			removeContenders();
		}
	}

	private int queued(String name) {
		return this.client.sql("SELECT queued FROM interlock_lock WHERE lock_name = ?")
			.param(name)
			.query(Integer.class)
			.single();
	}

	private void removeContenders() {
		this.client.sql("DELETE FROM interlock_contender").update();
		this.client.sql("DELETE FROM interlock_lock").update();
	}

	@Test
	void oldRowsGoInBatchesWhateverTheirHolder() {
		insertOldLocks(1200, null, 0);
		insertOldLocks(50, "crashed", 0);
		LeaseContender holder = contender("held");
		advance(KEEP_UNUSED);
		LeaseContender young = contender("young");
		acquire(this.store, holder);
		acquireAndRelease(this.store, young);
		assertThat(this.store.clean()).isFalse();
		assertThat(locks()).isEqualTo(1252);
		advance(Duration.ofMillis(1));
		List<Integer> left = new ArrayList<>();
		while (this.store.clean()) {
			left.add(locks());
		}
		assertThat(left).containsExactly(752, 252);
		assertThat(locks()).isEqualTo(2);
		assertThat(this.store.isHeld(holder)).isTrue();
	}

	@Test
	void contendersThatAreDeadForLongGoInBatchesAndTheirLocksWithThem() {
		insertOldLocks(150, null, 1);
		this.client
			.sql("INSERT INTO interlock_contender (contender, lock_id, instance, lock_mode, permits, turn, token, "
					+ "lease_end) SELECT lock_id, lock_id, 'test', 'SHARED', 1, 1, 1, lease_end FROM interlock_lock")
			.update();
		LeaseContender reader = contender("old-7", LockMode.SHARED);
		acquire(this.store, reader);
		advance(KEEP_UNUSED.plusMillis(1));
		assertThat(this.store.isHeld(reader)).isFalse();
		acquire(this.store, reader);
		while (this.store.clean()) {
			assertThat(locks()).isPositive();
		}
		assertThat(locks()).isOne();
		assertThat(this.client.sql("SELECT contender FROM interlock_contender").query(String.class).list())
			.containsExactly(reader.id());
		assertThat(this.store.isHeld(reader)).isTrue();
	}

	@Test
	void tokensOfRowThatIsMadeAgainGoOn() {
		long first = acquireAndRelease(this.store, contender("stock"));
		advance(KEEP_UNUSED.plusMillis(1));
		assertThat(this.store.clean()).isFalse();
		assertThat(locks()).isZero();
		assertThat(acquireAndRelease(this.store, contender("stock"))).isGreaterThan(first);
	}

	@Test
	void locksOfReadersAndPermitsAreInUseAsLongAsTheyAreRenewed() {
		for (LockMode mode : List.of(LockMode.SHARED, LockMode.PERMIT)) {
			acquireAndRelease(this.store, contender("used"));
			LeaseContender holder = contender("used", mode);
			long token = acquire(this.store, holder);
			for (int renewal = 0; renewal < 5; renewal++) {
				assertThat(this.store.renew(List.of(holder), KEEP_UNUSED).renewed()).containsExactly(holder);
				advance(KEEP_UNUSED.dividedBy(2));
				clean();
				assertThat(this.store.isHeld(holder)).isTrue();
				assertThat(this.store.acquire(contender("used"), LEASE, false)).isEqualTo(LeaseAnswer.heldBy(token));
				assertThat(holdersOnThePage()).singleElement()
					.satisfies((row) -> assertThat(row).containsEntry("contender", holder.id())
						.containsEntry("lock_name", "used")
						.containsEntry("token", token));
			}
			assertThat(this.store.release(holder)).isTrue();
		}
	}

	/**
	 * Return the readers and permits that an operator sees.
	 */
	private List<Map<String, Object>> holdersOnThePage() {
		return this.client
			.sql(PageBlocks.statements("operations", "Locks in a database", "sql", 1,
					Map.of("EXTRACT(EPOCH FROM clock_timestamp()) * 1000", CLOCK))
				.get(0))
			.query()
			.listOfRows();
	}

	private void clean() {
		while (this.store.clean()) {
			assertThat(locks()).isNotNegative();
		}
	}

	@Test
	void rowIsKeptAfterItsLastReaderOrPermit() {
		for (LockMode mode : List.of(LockMode.SHARED, LockMode.PERMIT)) {
			acquireAndRelease(this.store, contender("used"));
			advance(LEASE.plus(KEEP_UNUSED));
			long last = acquireAndRelease(this.store, contender("used", mode));
			advance(Duration.ofMillis(1));
			clean();
			assertThat(locks()).isOne();
			advance(Duration.ofHours(-1));
			assertThat(acquireAndRelease(this.store, contender("used", mode))).isGreaterThan(last);
			advance(KEEP_UNUSED.plusHours(1).plusMillis(1));
			clean();
			assertThat(locks()).isZero();
		}
	}

	@Test
	void cleaningPassesOverRowsThatAreLocked() {
		insertOldLocks(10, null, 0);
		advance(KEEP_UNUSED.plusMillis(1));
		whileLocked("old-3", () -> {
			assertThat(this.store.clean()).isFalse();
			assertThat(locks()).isOne();
		});
		assertThat(this.store.clean()).isFalse();
		assertThat(locks()).isZero();
	}

	/**
	 * Both see the row of the other, and one of them wins: neither a holder without a row
	 * nor an acquisition that fails.
	 */
	@Test
	void cleaningBesideAcquisitionsTakesNothingFromThem() throws Exception {
		for (int round = 0; round < 30; round++) {
			String lock = "raced-" + round;
			LockMode mode = (round % 2 == 0) ? LockMode.EXCLUSIVE : LockMode.SHARED;
			acquireAndRelease(this.store, contender(lock, mode));
			advance(KEEP_UNUSED.plusMillis(1));
			LeaseContender next = contender(lock, mode);
			Background<Boolean> cleaning = Background.start(this.store::clean);
			acquire(this.store, next);
			cleaning.join();
			assertThat(this.store.isHeld(next)).isTrue();
			assertThat(this.store.acquire(contender(lock), LEASE, false).granted()).isFalse();
			assertThat(this.store.release(next)).isTrue();
		}
	}

	final void insertOldLocks(int count, @Nullable String owner, int queued) {
		for (int i = 0; i < count; i++) {
			String name = ((owner != null) ? owner : "old") + "-" + i;
			this.client
				.sql("INSERT INTO interlock_lock (lock_id, lock_name, lock_key, token, owner, owner_token, instance, "
						+ "lease_end, queued) VALUES (?, ?, '', 1, ?, 0, NULL, ?, ?)")
				.params(LockHash.of("", name, null), name)
				.param(3, owner, Types.VARCHAR)
				.param(4, this.now)
				.param(5, queued)
				.update();
		}
	}

	private int locks() {
		return this.client.sql("SELECT COUNT(*) FROM interlock_lock").query(Integer.class).single();
	}

	/**
	 * Do something while another transaction has locked the row of a lock.
	 */
	private void whileLocked(String name, Runnable action) {
		try (Connection connection = this.pool.getConnection()) {
			connection.setAutoCommit(false);
			try (PreparedStatement update = connection
				.prepareStatement("UPDATE interlock_lock SET lock_key = lock_key WHERE lock_id = ?")) {
				update.setString(1, LockHash.of("", name, null));
				assertThat(update.executeUpdate()).isOne();
				action.run();
			}
			finally {
				connection.rollback();
				connection.setAutoCommit(true);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** MySQL, and databases without {@code SKIP LOCKED}, wait for the row. */
	@Test
	void rowThatIsLockedForTooLongIsToldAsSuch() {
		acquireAndRelease(this.store, contender("stock"));
		JdbcLeaseStore waiting = new JdbcLeaseStore(new Impatient(this.pool, this.database),
				new JdbcLeaseStoreSettings(CLOCK, this.database.returning(), false, this.database.byKey(),
						LEASE.dividedBy(3), KEEP_UNUSED, "interlock_", false, "", false));
		whileLocked("stock",
				() -> List.of(LockMode.EXCLUSIVE, LockMode.SHARED)
					.forEach((mode) -> assertThatExceptionOfType(LeaseStoreException.class)
						.isThrownBy(() -> waiting.acquire(contender("stock", mode), LEASE, false))
						.withMessageContaining("another transaction has locked the row of the lock")
						.matches(LeaseStoreException::isPassing)));
		assertThat(acquireAndRelease(waiting, contender("stock"))).isPositive();
	}

	/** H2 waits for two seconds, whatever the timeout of a statement. */
	@Test
	void callerWhoseTimeIsOverHearsOfTheLockedRow() {
		LeaseLockProvider provider = new LeaseLockProvider(this.instances.store(this.pool),
				new LeaseSettings("test", LEASE, Duration.ofMillis(20), Duration.ofSeconds(10), 4, false));
		try {
			LockTemplate template = new LockTemplate(provider);
			template.acquire(LockRequest.exclusive("stock")).close();
			await().until(() -> provider.pendingReleases() == 0);
			whileLocked("stock", () -> assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> template.acquire(LockRequest.exclusive("stock").withWaitTime(Duration.ofSeconds(4))))
				.withMessageContaining("another transaction has locked the row of the lock")
				.withMessageNotContaining("not answer"));
			template.acquire(LockRequest.exclusive("stock")).close();
		}
		finally {
			provider.close();
		}
	}

	@Test
	void numberThatCannotGrowIsToldWithItsTable() {
		acquireAndRelease(this.store, contender("stock"));
		this.client.sql("UPDATE interlock_lock SET token = ?").param(Long.MAX_VALUE).update();
		for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> acquire(this.store, contender("stock", mode)))
				.withMessageContaining("in table interlock_lock")
				.matches((ex) -> !ex.isPassing());
		}
	}

	/**
	 * An outage would be asked again until the wait time is over.
	 */
	@Test
	void valueThatTheTablesCannotHoldIsLasting() {
		setLengthOfNames(3);
		try {
			acquireAndRelease(this.store, contender("abc"));
			for (LockMode mode : List.of(LockMode.EXCLUSIVE, LockMode.SHARED)) {
				assertThatExceptionOfType(LeaseStoreException.class)
					.isThrownBy(() -> acquire(this.store, contender("stock", mode)))
					.withMessageContaining("schema-*.sql")
					.withMessageContaining("255")
					.withMessageContaining("tables interlock_lock and interlock_contender")
					.matches((ex) -> !ex.isPassing());
			}
		}
		finally {
			setLengthOfNames(255);
		}
	}

	private void setLengthOfNames(int length) {
		String change = switch (this.database) {
			case H2, POSTGRESQL -> "ALTER COLUMN lock_name SET DATA TYPE VARCHAR(%d)";
			case MYSQL, MARIADB -> "MODIFY lock_name VARCHAR(%d) NOT NULL";
		};
		this.client.sql("ALTER TABLE interlock_lock " + change.formatted(length)).update();
	}

	@Test
	void tablesOfAnotherReleaseAreLasting() {
		acquireAndRelease(this.store, contender("stock"));
		this.client.sql("UPDATE interlock_version SET version = 7").update();
		try {
			JdbcLeaseStore fresh = store(CLOCK);
			for (ThrowingCallable call : List.<ThrowingCallable>of(() -> acquire(fresh, contender("stock")),
					fresh::clean)) {
				assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call)
					.withMessageContainingAll("version 7", "version 1", "interlock_version", "schema-*.sql")
					.matches((ex) -> !ex.isPassing());
			}
			// Asked once: no query for each call.
			acquireAndRelease(this.store, contender("stock"));
		}
		finally {
			this.client.sql("UPDATE interlock_version SET version = 1").update();
		}
		acquireAndRelease(store(CLOCK), contender("stock"));
	}

	@Test
	void prefixesInOneDatabaseHaveLocksOfTheirOwn() {
		String schema = switch (this.database) {
			case H2, POSTGRESQL -> "public.";
			case MYSQL, MARIADB -> "locks.";
		};
		LeaseContender own = contender("stock");
		acquire(this.store, own);
		for (String prefix : List.of("shop_", schema + "office_")) {
			createTables(prefix);
			JdbcLeaseStore other = store(CLOCK, prefix);
			LeaseContender holder = contender("stock");
			acquire(other, holder);
			LeaseContender reader = contender("stock", LockMode.SHARED);
			assertThat(other.acquire(reader, LEASE, true).granted()).isFalse();
			assertThat(other.renew(List.of(holder, reader), LEASE).renewed()).containsOnly(holder, reader);
			other.release(holder);
			assertThat(other.acquireInTurn(reader, LEASE).granted()).isTrue();
			advance(LEASE.plus(KEEP_UNUSED).plusMillis(1));
			while (other.clean()) {
				assertThat(other.isHeld(reader)).isFalse();
			}
			assertThat(this.client.sql("SELECT COUNT(*) FROM %slock".formatted(prefix)).query(Integer.class).single())
				.isZero();
		}
		assertThat(locks()).isOne();
	}

	private void createTables(String prefix) {
		for (int start = 0; start < 2; start++) {
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class))
				.withBean(DataSource.class, () -> this.pool, (bean) -> bean.setDestroyMethodName(""))
				.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=always",
						"interlock.jdbc.table-prefix=" + prefix)
				.run((context) -> assertThat(context).hasSingleBean(LeaseLockProvider.class));
		}
	}

	@Test
	void renewalPassesOverRowsThatAreLocked() {
		List<LeaseContender> holders = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			LeaseContender holder = contender("held-" + i, (i % 3 == 0) ? LockMode.SHARED : LockMode.EXCLUSIVE);
			acquire(this.store, holder);
			holders.add(holder);
		}
		LeaseContender gone = holders.remove(9);
		this.store.release(gone);
		List<LeaseContender> asked = new ArrayList<>(holders);
		asked.add(gone);
		LeaseContender late = holders.remove(4);
		whileLocked("held-4", () -> {
			for (int lease = 0; lease < 3; lease++) {
				advance(LEASE.minusMillis(1).dividedBy(3));
				Renewed renewal = this.store.renew(asked, LEASE);
				assertThat(renewal.renewed()).containsExactlyInAnyOrderElementsOf(holders);
				assertThat(renewal.passedOver()).containsExactly(late);
				assertThat(this.store.renew(List.of(late), LEASE)).isEqualTo(new Renewed(Set.of(), Set.of(late)));
			}
			advance(Duration.ofMillis(5));
			Renewed renewal = this.store.renew(asked, LEASE);
			assertThat(renewal.renewed()).containsExactlyInAnyOrderElementsOf(holders);
			assertThat(renewal.passedOver()).isEmpty();
		});
		assertThat(this.store.renew(List.of(late), LEASE)).isEqualTo(new Renewed(Set.of(), Set.of()));
	}

	@Test
	void renewalThatComesBeforeTheEndOfTheLeaseSavesIt() {
		LeaseContender holder = contender("held-1");
		acquire(this.store, holder);
		advance(LEASE.minusMillis(1));
		whileLocked("held-1", () -> assertThat(this.store.renew(List.of(holder), LEASE).passedOver()).hasSize(1));
		assertThat(this.store.renew(List.of(holder), LEASE)).isEqualTo(Renewed.of(Set.of(holder)));
		advance(LEASE.minusMillis(1));
		assertThat(this.store.isHeld(holder)).isTrue();
	}

	/** Connections that wait for a locked row for a second. */
	private static final class Impatient extends DelegatingDataSource {

		private final LockDatabase database;

		Impatient(DataSource target, LockDatabase database) {
			super(target);
			this.database = database;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			JdbcClient.create(new SingleConnectionDataSource(connection, true)).sql(switch (this.database) {
				case H2 -> "SET LOCK_TIMEOUT 1000";
				case POSTGRESQL -> "SET lock_timeout = 1000";
				case MYSQL, MARIADB -> "SET innodb_lock_wait_timeout = 1";
			}).update();
			return connection;
		}

	}

}
