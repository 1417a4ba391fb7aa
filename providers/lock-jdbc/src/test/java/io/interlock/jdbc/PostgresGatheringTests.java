package io.interlock.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks that PostgreSQL acquires and releases together.
 */
class PostgresGatheringTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static PostgresServer server;

	private final JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 5);

	private final HikariDataSource pool = this.instances.pool();

	private final JdbcClient client = JdbcClient.create(this.pool);

	private final ExecutorService threads = Executors.newFixedThreadPool(2);

	private final JdbcLeaseStore store = new JdbcLeaseStore(this.pool,
			new JdbcLeaseStoreSettings(LockDatabase.POSTGRESQL.clock(), true, true, "", LEASE.dividedBy(3),
					Duration.ofDays(1), "interlock_", true));

	private final List<LeaseContender> contenders = IntStream.range(0, 20)
		.mapToObj((number) -> contender("lock-" + number))
		.toList();

	@BeforeAll
	static void startServer() {
		server = PostgresServer.start();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@BeforeEach
	void createTables() {
		this.instances.createTables();
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.client.sql("DELETE FROM interlock_contender").update();
		this.client.sql("DELETE FROM interlock_lock").update();
		this.instances.close();
	}

	@Test
	void contendersHoldWhatTheyAcquireAndRelease() {
		List<LeaseAnswer> first = this.contenders.stream().map(this::acquire).map(this::answer).toList();
		List<CompletableFuture<LeaseAnswer>> others = this.contenders.stream()
			.map((contender) -> acquire(contender(contender.lock().name())))
			.toList();
		assertThat(first).allMatch(LeaseAnswer::granted);
		assertThat(others).extracting(this::answer)
			.containsExactlyElementsOf(first.stream().map((answer) -> LeaseAnswer.heldBy(answer.token())).toList());
		assertThat(this.contenders.stream().map(this::release).toList()).extracting(this::answer).containsOnly(true);
		assertThat(this.contenders.stream().map(this::release).toList()).extracting(this::answer).containsOnly(false);
		List<LeaseAnswer> second = this.contenders.stream()
			.map((contender) -> acquire(contender(contender.lock().name())))
			.map(this::answer)
			.toList();
		assertThat(second).allMatch(LeaseAnswer::granted);
		assertThat(IntStream.range(0, 20)).allMatch((number) -> second.get(number).token() > first.get(number).token());
	}

	@Test
	void contendersOfOneLockExcludeEachOther() {
		answer(release(this.contenders.get(0)));
		List<CompletableFuture<LeaseAnswer>> answers = IntStream.range(0, 20)
			.mapToObj((number) -> acquire(contender("lock")))
			.toList();
		assertThat(answers.stream().map(this::answer).filter(LeaseAnswer::granted)).hasSize(1);
	}

	@Test
	void lockedRowDelaysNoOther() throws Exception {
		this.contenders.forEach((contender) -> answer(acquire(contender)));
		this.contenders.forEach((contender) -> answer(release(contender)));
		CompletableFuture<LeaseAnswer> acquisition;
		try (Connection peer = lockFirstRow()) {
			acquisition = acquireAll().get(0);
			CompletableFuture<Boolean> release = releaseOthers();
			assertHasDoneNothing(acquisition.thenApply((answer) -> true));
			assertHasDoneNothing(release);
			peer.rollback();
			LeaseContender first = this.contenders.get(0);
			assertThat(answer(acquisition.exceptionallyCompose((late) -> acquire(first))).granted()).isTrue();
			answer(release.exceptionallyCompose((late) -> release(first)));
		}
	}

	/**
	 * A machine that stands still may use up the second that a locked row is waited for.
	 */
	private static void assertHasDoneNothing(CompletableFuture<Boolean> request) {
		assertThat(request.exceptionally((late) -> false).getNow(false)).isFalse();
	}

	@Test
	void rowThatTheDatabaseRefusesFailsAlone() {
		assertThat(answer(acquireAll().get(0)).granted()).isTrue();
		assertThat(answer(releaseOthers())).isTrue();
		this.client.sql("UPDATE interlock_lock SET owner = NULL, token = ? WHERE lock_name = 'lock-10'")
			.param(Long.MAX_VALUE)
			.update();
		for (int round = 0; round < 3; round++) {
			failsAlone(this.contenders.stream().map(this::acquire).toList(), "bigint out of range", "owner_token");
			this.contenders.forEach((contender) -> answer(release(contender)));
		}
	}

	@Test
	void releaseThatTriggerRefusesFailsAlone() {
		this.client
			.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
					+ "$$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$")
			.update();
		this.client
			.sql("CREATE TRIGGER refuse BEFORE UPDATE ON interlock_lock FOR EACH ROW WHEN (OLD.lock_name = "
					+ "'lock-10' AND OLD.owner IS NOT NULL AND NEW.owner IS NULL) EXECUTE FUNCTION refuse()")
			.update();
		try {
			assertThat(answer(acquireAll().get(0)).granted()).isTrue();
			failsAlone(this.contenders.stream().map(this::release).toList(), "refused by the test", "trigger");
		}
		finally {
			this.client.sql("DROP FUNCTION refuse CASCADE").update();
		}
	}

	private static void failsAlone(List<? extends CompletableFuture<?>> answers, String... messages) {
		IntStream.range(0, answers.size()).forEach((number) -> {
			if (number == 10) {
				assertThat(answers.get(number)).failsWithin(PATIENCE)
					.withThrowableOfType(ExecutionException.class)
					.withMessageContainingAll(messages);
			}
			else {
				assertThat(answers.get(number)).succeedsWithin(PATIENCE);
			}
		});
	}

	private List<CompletableFuture<LeaseAnswer>> acquireAll() {
		List<CompletableFuture<LeaseAnswer>> answers = this.contenders.stream().map(this::acquire).toList();
		answers.stream().skip(1).forEach((answer) -> assertThat(answer(answer).granted()).isTrue());
		return answers;
	}

	/** Release all, and return the release of the first one. */
	private CompletableFuture<Boolean> releaseOthers() {
		List<CompletableFuture<Boolean>> releases = this.contenders.stream().map(this::release).toList();
		releases.stream().skip(1).forEach((release) -> assertThat(answer(release)).isTrue());
		return releases.get(0);
	}

	private Connection lockFirstRow() throws Exception {
		Connection peer = this.pool.getConnection();
		peer.setAutoCommit(false);
		peer.createStatement().executeQuery("SELECT * FROM interlock_lock WHERE lock_name = 'lock-0' FOR UPDATE");
		return peer;
	}

	private static LeaseContender contender(String lock) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId(lock, null), LockMode.EXCLUSIVE, 1,
				false);
	}

	private CompletableFuture<LeaseAnswer> acquire(LeaseContender contender) {
		return this.store.acquire(contender, LEASE, false, this.threads).toCompletableFuture();
	}

	private CompletableFuture<Boolean> release(LeaseContender contender) {
		return this.store.release(contender, this.threads).toCompletableFuture();
	}

	private <T> T answer(CompletableFuture<T> answer) {
		assertThat(answer).succeedsWithin(PATIENCE);
		return answer.join();
	}

}
