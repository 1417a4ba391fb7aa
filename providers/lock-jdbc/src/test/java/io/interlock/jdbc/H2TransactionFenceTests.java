package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.TransactionFence;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for fenced transactions on H2.
 */
class H2TransactionFenceTests extends TransactionFenceContract {

	@Override
	HikariDataSource pool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
		return pool;
	}

	@Override
	int insertsOfTwoRows() {
		return 2;
	}

	/** In H2, the time of a statement stays with its connection. */
	@Test
	void statementsAfterItHaveNoTimeout() throws SQLException {
		try (HikariDataSource pool = pool()) {
			pool.setMaximumPoolSize(1);
			TransactionFence fence = new TransactionFence(new JdbcTransactionManager(pool), pool,
					new FenceSettings((id) -> true, "test", Duration.ofSeconds(1)));
			fence.createTable();
			JdbcTransactionManager manager = new JdbcTransactionManager(pool);
			manager.addListener(new TransactionFence(manager, pool,
					new FenceSettings((id) -> true, "test", Duration.ofSeconds(1))));
			new LockTemplate(new InMemoryLockProvider()).execute(LockRequest.exclusive("stock"),
					(lock) -> new TransactionTemplate(manager).execute((status) -> null));
			try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
				assertThat(statement.getQueryTimeout()).isZero();
			}
		}
	}

	@Override
	boolean refusesToWriteInAReadOnlyTransaction() {
		return false;
	}

	@Override
	int statements() {
		return 1;
	}

}
