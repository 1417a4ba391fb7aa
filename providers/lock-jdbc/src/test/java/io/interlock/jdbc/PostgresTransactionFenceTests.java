package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.TransactionFence;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for fenced transactions on PostgreSQL.
 */
class PostgresTransactionFenceTests extends TransactionFenceContract {

	private static PostgresServer server;

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

	@Override
	HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(server.url());
		pool.setUsername("postgres");
		return pool;
	}

	@Override
	int insertsOfTwoRows() {
		return 1;
	}

	/** {@code IF NOT EXISTS} does not see the table of another one before its commit. */
	@Test
	void instanceThatCreatesTheTableBehindAnotherOneDoesNotFail() throws Exception {
		try (HikariDataSource pool = pool(); Connection another = pool.getConnection()) {
			JdbcClient jdbc = JdbcClient.create(pool);
			jdbc.sql("DROP TABLE IF EXISTS interlock_fence").update();
			another.setAutoCommit(false);
			another.createStatement()
				.execute(
						"CREATE TABLE interlock_fence (lock_id VARCHAR(64) NOT NULL PRIMARY KEY, token BIGINT NOT NULL, used_at BIGINT NOT NULL)");
			TransactionFence fence = new TransactionFence(new JdbcTransactionManager(pool), pool,
					new FenceSettings((id) -> true, "test", Duration.ofSeconds(30)));
			CompletableFuture<Void> creation = CompletableFuture.runAsync(fence::createTable,
					(task) -> new Thread(task, "creation").start());
			Awaitility.await()
				.until(() -> jdbc.sql("SELECT COUNT(*) FROM pg_locks WHERE NOT granted").query(Integer.class).single(),
						(waiting) -> waiting > 0);
			another.commit();
			creation.get(30, TimeUnit.SECONDS);
			fence.check();
		}
	}

	@Override
	String shortLockTimeout() {
		return "SET lock_timeout = '100ms'";
	}

	@Override
	boolean refusesToWriteInAReadOnlyTransaction() {
		return true;
	}

	@Override
	int statements() {
		return 1;
	}

	/** Its snapshot is from before it waited. */
	@ParameterizedTest
	@EnumSource(names = { "REPEATABLE_READ", "SERIALIZABLE" })
	void snapshotThatIsOlderThanAnEarlierCommitFailsAndIsTriedAgain(Isolation isolation) throws Exception {
		this.transaction.setIsolationLevel(isolation.value());
		whileAnEarlierOneIsOpen(true, (later) -> {
			AtomicBoolean ran = new AtomicBoolean();
			assertThatExceptionOfType(ConcurrencyFailureException.class)
				.isThrownBy(() -> later.executeWithoutResult((status) -> ran.set(true)))
				.havingRootCause()
				.isInstanceOfSatisfying(SQLException.class, (ex) -> assertThat(ex.getSQLState()).isEqualTo("40001"));
			assertThat(ran).isFalse();
			increments(later);
		});
		assertThat(amount()).isEqualTo(2);
	}

	@ParameterizedTest
	@EnumSource(names = { "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE" })
	void passesBehindAnEarlierOneThatIsRolledBack(Isolation isolation) throws Exception {
		this.transaction.setIsolationLevel(isolation.value());
		whileAnEarlierOneIsOpen(false, this::increments);
		assertThat(amount()).isOne();
	}

}
