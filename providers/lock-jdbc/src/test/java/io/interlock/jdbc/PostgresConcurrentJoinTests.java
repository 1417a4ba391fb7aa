package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for contenders that join while a release is under way: each of them sees the
 * release, or is told of it. Triggers hold a release between the moment that its
 * statement sees, and the rows that it locks.
 */
class PostgresConcurrentJoinTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	/** What holds releases of exclusive holders. */
	private static final int OWNERS = 1;

	/** What holds releases of all other contenders. */
	private static final int CONTENDERS = 2;

	private static final List<String> TRIGGERS = List.of(
			"CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS "
					+ "'BEGIN PERFORM pg_advisory_xact_lock_shared(TG_ARGV[0]::int); RETURN NULL; END'",
			"CREATE TRIGGER hold BEFORE UPDATE OF owner ON interlock_lock EXECUTE FUNCTION hold(" + OWNERS + ")",
			"CREATE TRIGGER hold BEFORE DELETE ON interlock_contender EXECUTE FUNCTION hold(" + CONTENDERS + ")");

	private final PostgresServer server = PostgresServer.start();

	private final JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, this.server.url(), LEASE, 4);

	private final HikariDataSource pool = this.instances.pool();

	private final JdbcClient client = JdbcClient.create(this.pool);

	private final WatchedDataSource watched = new WatchedDataSource(this.instances.pool());

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private JdbcLeaseStore store;

	private JdbcLeaseStore other;

	@BeforeEach
	void createStores() {
		this.instances.createTables();
		TRIGGERS.forEach((trigger) -> this.client.sql(trigger).update());
		this.store = this.instances.store(this.watched);
		this.other = this.instances.store(this.instances.pool());
		this.store.check();
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.store.close();
		this.other.close();
		this.instances.close();
		this.server.close();
	}

	private static LeaseContender contender(LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), mode, 2, false);
	}

	private LeaseContender holder(LockMode mode) {
		LeaseContender holder = contender(mode);
		assertThat(this.other.acquire(holder, LEASE, true).granted()).isTrue();
		return holder;
	}

	private LeaseContender waiter(LockMode mode) {
		LeaseContender waiter = contender(mode);
		assertThat(this.store.acquire(waiter, LEASE, true).granted()).isFalse();
		return waiter;
	}

	private List<String> toldOf(int held, Supplier<LeaseContender> joining, Runnable release) throws Exception {
		try (Connection listening = this.pool.getConnection(); Connection holding = this.pool.getConnection()) {
			listening.createStatement().execute("LISTEN \"interlock_lock\"");
			holding.createStatement().execute("SELECT pg_advisory_lock(%d)".formatted(held));
			CompletableFuture<Void> released = CompletableFuture.runAsync(release, this.threads);
			await().until(this::isHeld);
			String word = ReleaseNews.wordOf(joining.get().id());
			holding.createStatement().execute("SELECT pg_advisory_unlock(%d)".formatted(held));
			released.get(30, TimeUnit.SECONDS);
			return told(listening).stream()
				.flatMap((words) -> List.of(words.split(" ")).stream())
				.filter(word::equals)
				.toList();
		}
	}

	private boolean isHeld() {
		return this.client.sql("SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
			.query(Integer.class)
			.single() == 1;
	}

	private List<String> told(Connection listening) throws SQLException {
		this.client.sql("SELECT pg_notify('interlock_lock', 'end')").query((row, number) -> true).list();
		List<String> told = new ArrayList<>();
		while (!told.contains("end")) {
			told.addAll(PostgresChannel.await(listening, 1000));
		}
		return told;
	}

	@Test
	void waiterIsToldOfAReaderThatGoesMeanwhile() throws Exception {
		LeaseContender reader = holder(LockMode.SHARED);
		assertThat(toldOf(CONTENDERS, () -> waiter(LockMode.EXCLUSIVE), () -> this.other.release(reader))).hasSize(1);
	}

	@Test
	void waiterIsToldOfAPermitThatIsFreeMeanwhileThoughAnotherOneWaits() throws Exception {
		LeaseContender permit = holder(LockMode.PERMIT);
		holder(LockMode.PERMIT);
		waiter(LockMode.PERMIT);
		assertThat(toldOf(CONTENDERS, () -> waiter(LockMode.PERMIT), () -> this.other.release(permit))).hasSize(1);
	}

	@Test
	void waiterIsToldOfAWaiterInFrontThatGoesMeanwhile() throws Exception {
		holder(LockMode.SHARED);
		LeaseContender inFront = waiter(LockMode.EXCLUSIVE);
		assertThat(toldOf(CONTENDERS, () -> waiter(LockMode.SHARED), () -> this.store.release(inFront))).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource(names = "EXCLUSIVE", mode = Mode.EXCLUDE)
	void waiterIsToldOfAnExclusiveHolderThatGoesMeanwhile(LockMode mode) throws Exception {
		LeaseContender holder = holder(LockMode.EXCLUSIVE);
		assertThat(toldOf(OWNERS, () -> waiter(mode), () -> this.other.release(holder))).hasSize(1);
	}

	@Test
	void readerIsToldOfAnExclusiveHolderThatGoesMeanwhileThoughAnotherOneWaits() throws Exception {
		LeaseContender holder = holder(LockMode.EXCLUSIVE);
		waiter(LockMode.SHARED);
		assertThat(toldOf(OWNERS, () -> waiter(LockMode.SHARED), () -> this.other.release(holder))).hasSize(1);
	}

	@Test
	void readerIsToldOfReleasesThatAreSentTogether() throws Exception {
		LeaseContender holder = holder(LockMode.EXCLUSIVE);
		waiter(LockMode.SHARED);
		assertThat(toldOf(OWNERS, () -> waiter(LockMode.SHARED),
				() -> this.other.release(holder, this.threads).toCompletableFuture().join()))
			.hasSize(1);
	}

	/** Its transaction has seen the holder, and the holder has not seen it. */
	@ParameterizedTest
	@EnumSource(names = "EXCLUSIVE", mode = Mode.EXCLUDE)
	void waiterSeesAReleaseBeforeItsCommit(LockMode mode) {
		LeaseContender holder = holder((mode == LockMode.PERMIT) ? LockMode.PERMIT : LockMode.SHARED);
		LeaseContender second = holder(holder.mode());
		if (mode == LockMode.SHARED) {
			this.other.release(second);
		}
		LeaseContender inFront = (mode == LockMode.SHARED) ? waiter(LockMode.EXCLUSIVE) : holder;
		this.watched.swallowed = (sql) -> {
			if (sql.startsWith("INSERT INTO interlock_contender")) {
				this.watched.swallowed = (next) -> false;
				this.other.release(inFront);
			}
			return false;
		};
		LeaseContender waiter = contender(mode);
		assertThat(this.store.acquire(waiter, LEASE, true).granted()).isTrue();
		assertThat(this.store.isHeld(waiter)).isTrue();
	}

}
