package io.interlock.jdbc;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.ConcurrencyFailureException;
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
