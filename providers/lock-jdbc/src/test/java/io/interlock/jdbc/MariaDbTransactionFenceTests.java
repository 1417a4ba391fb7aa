package io.interlock.jdbc;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.TransactionFence;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for fenced transactions on MariaDB, whose default is REPEATABLE READ.
 */
class MariaDbTransactionFenceTests extends TransactionFenceContract {

	private static MariaDbServer server;

	@BeforeAll
	static void startServer() {
		server = MariaDbServer.start();
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
		return pool;
	}

	@Override
	int insertsOfTwoRows() {
		return 1;
	}

	@Override
	String shortLockTimeout() {
		return "SET innodb_lock_wait_timeout = 1";
	}

	@Override
	boolean refusesToWriteInAReadOnlyTransaction() {
		return true;
	}

	@Override
	int statements() {
		return 2;
	}

	/** It keeps what is rolled back, and locks no rows. */
	@Test
	void tableWithoutTransactionsIsToldWithTheStatementThatMendsIt() {
		try (HikariDataSource pool = pool()) {
			JdbcClient jdbc = JdbcClient.create(pool);
			TransactionFence fence = new TransactionFence(new JdbcTransactionManager(pool), pool,
					new FenceSettings((id) -> true, "test", Duration.ofSeconds(1)));
			jdbc.sql("ALTER TABLE interlock_fence ENGINE=MyISAM").update();
			assertThatIllegalStateException().isThrownBy(fence::check)
				.withMessageContaining("ALTER TABLE interlock_fence ENGINE=InnoDB");
			assertThat(rows()).isZero();
			jdbc.sql("INSERT INTO interlock_fence VALUES ('', 0, 0)").update();
			jdbc.sql("ALTER TABLE interlock_fence ENGINE=InnoDB").update();
			fence.check();
		}
	}

	/** The default from MariaDB 11.6 on. */
	@Test
	void rowThatIsNewerThanTheSnapshotIsAConflict() {
		try (HikariDataSource pool = pool()) {
			pool.setConnectionInitSql("SET SESSION innodb_snapshot_isolation = ON");
			TransactionTemplate transaction = transaction(pool, Duration.ofSeconds(30));
			this.locks.execute(STOCK, (lock) -> transaction.execute((status) -> null));
			assertThatExceptionOfType(ConcurrencyFailureException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					JdbcClient.create(pool).sql("SELECT amount FROM counter").query(Integer.class).single();
					laterHolderIncrements(STOCK);
					this.locks.acquire(STOCK);
				}));
			assertThat(amount()).isOne();
		}
	}

	/** The first plain read, which makes the snapshot, comes behind the fence. */
	@ParameterizedTest
	@EnumSource(names = { "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE" })
	void readsWhatAnEarlierOneHasCommitted(Isolation isolation) throws Exception {
		this.transaction.setIsolationLevel(isolation.value());
		whileAnEarlierOneIsOpen(true, this::increments);
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
