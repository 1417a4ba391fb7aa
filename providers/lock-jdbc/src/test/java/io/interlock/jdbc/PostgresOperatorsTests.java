package io.interlock.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.admin.LockAdministrator;
import io.interlock.admin.LockRevoker;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.jdbc.autoconfigure.JdbcLockAutoConfiguration;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.RunRecords.Run;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.page.PageBlocks;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * What {@code docs/security.md} grants, and the SQL for operators of
 * {@code docs/operations.md}, run as they stand there.
 */
class PostgresOperatorsTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Map<String, String> PASSWORD = Map.of("change-me", "secret");

	private static PostgresServer server;

	private static JdbcClient postgres;

	private static JdbcClient operator;

	private final JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 4);

	@BeforeAll
	static void startServer() {
		server = PostgresServer.start();
		try (JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 1)) {
			instances.createTables();
		}
		postgres = JdbcClient.create(as("postgres"));
		for (int block : List.of(0, 1)) {
			PageBlocks.statements("security", "Rights in a database", "sql", block, PASSWORD)
				.forEach((statement) -> postgres.sql(statement).update());
		}
		operator = JdbcClient.create(as("operator"));
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void removeRows() {
		this.instances.close();
		postgres.sql("DELETE FROM interlock_contender").update();
		postgres.sql("DELETE FROM interlock_lock").update();
	}

	private static DriverManagerDataSource as(String user) {
		return new DriverManagerDataSource(server.url(), user, "secret");
	}

	private static JdbcLeaseStore store() {
		return new JdbcLeaseStore(as("shop"), new JdbcLeaseStoreSettings(LockDatabase.POSTGRESQL.clock(), true, true,
				"", Duration.ofSeconds(5), Duration.ofMinutes(1)));
	}

	private static LeaseContender contender(LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), mode, 2, false);
	}

	@Test
	void applicationWithTheseRightsStartsAndLocks() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class,
					DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + server.url(), "spring.datasource.username=shop",
					"spring.datasource.password=secret", "interlock.jdbc.initialize-schema=never",
					"interlock.startup-timeout=20s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
			});
	}

	@ParameterizedTest
	@CsvSource({ "EXCLUSIVE", "SHARED", "PERMIT" })
	void theseRightsSufficeForAllThatLocksDo(LockMode mode) {
		JdbcLeaseStore store = store();
		store.check();
		LeaseContender holder = contender(mode);
		LeaseContender waiter = contender(LockMode.EXCLUSIVE);
		assertThat(store.acquire(holder, LEASE, true).granted()).isTrue();
		assertThat(store.acquire(waiter, LEASE, true).granted()).isFalse();
		assertThat(store.renew(List.of(holder, waiter), LEASE).renewed()).containsExactlyInAnyOrder(holder, waiter);
		assertThat(store.isHeld(holder)).isTrue();
		assertThat(store.release(holder)).isTrue();
		assertThat(store.acquireInTurn(waiter, LEASE).granted()).isTrue();
		assertThat(store.acquire(contender(mode), LEASE, true).granted()).isFalse();
		postgres.sql("UPDATE interlock_lock SET lease_end = 0, token = 0").update();
		postgres.sql("UPDATE interlock_contender SET lease_end = 0").update();
		while (store.clean()) {
			assertThat(count("interlock_lock")).isOne();
		}
		assertThat(count("interlock_contender")).isZero();
		assertThat(count("interlock_lock")).isZero();
	}

	private static int count(String table) {
		return postgres.sql("SELECT COUNT(*) FROM " + table).query(Integer.class).single();
	}

	@ParameterizedTest
	@CsvSource({ "SELECT, interlock_lock", "INSERT, interlock_lock", "UPDATE, interlock_lock", "DELETE, interlock_lock",
			"SELECT, interlock_contender", "INSERT, interlock_contender", "UPDATE, interlock_contender",
			"DELETE, interlock_contender", "SELECT, interlock_version" })
	void noneOfTheseRightsIsSuperfluous(String right, String table) {
		store().check();
		postgres.sql("REVOKE %s ON %s FROM shop".formatted(right, table)).update();
		try {
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store().check())
				.withMessageContaining("permission denied for table " + table);
		}
		finally {
			postgres.sql("GRANT %s ON %s TO shop".formatted(right, table)).update();
		}
	}

	@Test
	void theseRightsSufficeForTheLastRuns() {
		Run run = new Run("report", null, "test", Instant.EPOCH, Duration.ZERO, Run.SUCCESS, Instant.ofEpochMilli(1));
		store().record(run);
		store().record(run);
		assertThat(store().runs(List.of("report"))).containsExactly(run);
	}

	@Test
	void operatorSeesAndFreesAnExclusiveLock() {
		LockRequest request = LockRequest.exclusive("orders").withKey("42");
		LockTemplate next = new LockTemplate(this.instances.start());
		try (LockHandle held = new LockTemplate(this.instances.start()).acquire(request)) {
			assertThat(query(0)).singleElement()
				.satisfies((row) -> assertThat(row).containsEntry("lock_name", "orders")
					.containsEntry("lock_key", "42")
					.hasEntrySatisfying("instance", (text) -> assertThat(text).asString().startsWith("test|"))
					.containsEntry("owner_token", held.fencingToken())
					.containsKey("lease_until"));
			assertThatExceptionOfType(BadSqlGrammarException.class)
				.isThrownBy(() -> free(operator, held.fencingToken()))
				.withStackTraceContaining("permission denied");
			assertThat(free(postgres, held.fencingToken() - 1)).isZero();
			assertThat(held.isValid()).isTrue();
			assertThat(free(postgres, held.fencingToken())).isOne();
			try (LockHandle other = next.acquire(request)) {
				assertThat(other.fencingToken()).isGreaterThan(held.fencingToken());
				await().until(held::isLost);
				assertThat(other.isValid()).isTrue();
			}
		}
	}

	@Test
	void operatorHoldsALockAndFreesItByItsToken() {
		LockRequest request = LockRequest.exclusive("orders").withKey("42");
		LockTemplate next = new LockTemplate(this.instances.start());
		LockTemplate holding = new LockTemplate(this.instances.start());
		LockAdministrator administrator = new LockAdministrator(mock(LockRevoker.class), List.of());
		LockHandle held = administrator.hold(request.id(), Duration.ofMinutes(30), "'alice'", holding::acquire, null);
		assertThat(next.tryAcquire(request)).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> administrator.hold(request.id(), Duration.ofMinutes(30), "'bob'", next::acquire, null));
		assertThat(query(0)).singleElement()
			.satisfies((row) -> assertThat(row).containsEntry("owner_token", held.fencingToken()));
		assertThat(query(1)).as("left by the one that was refused").isEmpty();
		assertThat(free(postgres, held.fencingToken())).isOne();
		try (LockHandle other = next.acquire(request)) {
			assertThat(other.fencingToken()).isGreaterThan(held.fencingToken());
		}
	}

	@Test
	void operatorSeesAndFreesAReader() {
		LockRequest request = LockRequest.shared("orders").withKey("42");
		try (LockHandle held = new LockTemplate(this.instances.start()).acquire(request)) {
			List<Map<String, Object>> rows = query(1);
			assertThat(rows).singleElement()
				.satisfies((row) -> assertThat(row).containsEntry("lock_mode", "SHARED")
					.containsEntry("token", held.fencingToken()));
			List<String> statements = PageBlocks.statements("operations", "Locks in a database", "sql", 3,
					Map.of("the-contender-that-was-seen", rows.get(0).get("contender").toString()));
			assertThat(postgres.sql(statements.get(0)).update()).isOne();
			await().until(held::isLost);
		}
	}

	@Test
	void operatorSeesWaitersInTheirOrder() {
		JdbcLeaseStore store = store();
		LeaseContender first = contender(LockMode.EXCLUSIVE);
		LeaseContender second = contender(LockMode.SHARED);
		store.acquire(contender(LockMode.EXCLUSIVE), LEASE, true);
		store.acquire(first, LEASE, true);
		store.acquire(second, LEASE, true);
		assertThat(query(1)).extracting((row) -> row.get("contender")).containsExactly(first.id(), second.id());
		assertThat(query(1)).allSatisfy((row) -> assertThat(row).containsEntry("token", null));
	}

	private static List<Map<String, Object>> query(int block) {
		return operator.sql(PageBlocks.statements("operations", "Locks in a database", "sql", block, Map.of()).get(0))
			.query()
			.listOfRows();
	}

	private static int free(JdbcClient client, long token) {
		return client
			.sql(PageBlocks
				.statements("operations", "Locks in a database", "sql", 2, Map.of("the-lock-id-that-was-seen",
						query(0).get(0).get("lock_id").toString(), "1234567890123456", Long.toString(token)))
				.get(0))
			.update();
	}

}
