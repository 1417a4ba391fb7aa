package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.TransactionFence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
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

	/** One that leads to several databases, or schemas of one, is not one database. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void transactionWithinOneOfAnotherDatabaseHasAFenceOfItsOwn(boolean schema) {
		try (HikariDataSource first = pool(); HikariDataSource second = pool()) {
			if (schema) {
				JdbcClient.create(first).sql("CREATE SCHEMA another").update();
				second.setJdbcUrl(first.getJdbcUrl());
				second.setSchema("ANOTHER");
			}
			ThreadLocal<String> key = ThreadLocal.withInitial(() -> "first");
			DataSource routing = new DelegatingDataSource(routing(key, Map.of("first", first, "second", second)));
			JdbcTransactionManager manager = new JdbcTransactionManager(routing);
			TransactionFence fence = new TransactionFence(manager, routing,
					new FenceSettings((id) -> true, "test", Duration.ofSeconds(1)));
			for (String database : List.of("second", "first")) {
				key.set(database);
				fence.createTable();
			}
			manager.addListener(fence);
			TransactionTemplate outer = new TransactionTemplate(manager);
			TransactionTemplate inner = new TransactionTemplate(manager);
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			this.locks.execute(STOCK, (lock) -> outer.execute((status) -> {
				inner.executeWithoutResult((same) -> assertThat(rows(second)).isZero());
				key.set("second");
				return inner.execute((other) -> null);
			}));
			assertThat(rows(first)).isOne();
			assertThat(rows(second)).isOne();
		}
	}

	/** As a pool that all tenants share. */
	@Test
	void innerTransactionInAnotherSchemaOfThePoolIsFencedThere() {
		try (HikariDataSource pool = pool()) {
			JdbcClient.create(pool).sql("CREATE SCHEMA another").update();
			ThreadLocal<String> schema = ThreadLocal.withInitial(() -> "PUBLIC");
			DataSource shared = new DelegatingDataSource(pool) {
				@Override
				public Connection getConnection() throws SQLException {
					Connection connection = super.getConnection();
					connection.setSchema(schema.get());
					return connection;
				}
			};
			JdbcTransactionManager manager = new JdbcTransactionManager(shared);
			TransactionFence fence = new TransactionFence(manager, shared,
					new FenceSettings((id) -> true, "test", Duration.ofSeconds(1)));
			fence.createTable();
			schema.set("ANOTHER");
			fence.createTable();
			schema.set("PUBLIC");
			manager.addListener(fence);
			TransactionTemplate outer = new TransactionTemplate(manager);
			TransactionTemplate inner = new TransactionTemplate(manager);
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			this.locks.execute(STOCK, (lock) -> outer.execute((status) -> {
				inner.executeWithoutResult((same) -> {
				});
				schema.set("ANOTHER");
				return inner.execute((other) -> null);
			}));
			assertThat(rows(shared)).isOne();
			schema.set("PUBLIC");
			assertThat(rows(shared)).isOne();
		}
	}

	private static int rows(DataSource dataSource) {
		return JdbcClient.create(dataSource).sql("SELECT COUNT(*) FROM interlock_fence").query(Integer.class).single();
	}

	private static DataSource routing(ThreadLocal<String> key, Map<Object, Object> targets) {
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
			@Override
			protected Object determineCurrentLookupKey() {
				return key.get();
			}
		};
		routing.setTargetDataSources(targets);
		routing.afterPropertiesSet();
		return routing;
	}

	@Override
	String shortLockTimeout() {
		return "SET LOCK_TIMEOUT 100";
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
