package io.interlock.jdbc;

import java.time.Duration;
import java.util.UUID;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a free acquisition and its release cost, as servers count it: all requests of a
 * connection in MariaDB, and transactions that write, and rows, in PostgreSQL.
 */
class FreeAcquisitionCostTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final int TIMES = 50;

	private static final String WRITERS = "SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)";

	private static final String ROWS = "SELECT n_tup_ins || ' ' || n_tup_upd || ' ' || n_tup_del FROM pg_stat_user_tables WHERE relname = 'interlock_lock'";

	@Test
	void postgresWritesTheRowOfTheLockTwice() {
		try (PostgresServer server = PostgresServer.start();
				JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 2)) {
			instances.createTables();
			SingleConnectionDataSource connection = connection(instances);
			JdbcClient client = JdbcClient.create(connection);
			JdbcLeaseStore store = instances.store(connection);
			acquireAndRelease(store, 1);
			long before = client.sql(WRITERS).query(Long.class).single();
			acquireAndRelease(store, TIMES);
			assertThat(client.sql(WRITERS).query(Long.class).single() - before).isEqualTo(2 * TIMES);
			// The first acquisition has made the row, and its release has changed it.
			client.sql("SELECT pg_stat_force_next_flush()").query((row, number) -> true).list();
			assertThat(client.sql(ROWS).query(String.class).single()).isEqualTo("1 %d 0".formatted(2 * TIMES + 1));
		}
	}

	/** The token is read behind the acquisition, because MariaDB returns no column. */
	@Deep
	@Test
	void mariaDbAnswersThreeRequests() {
		try (MariaDbServer server = MariaDbServer.start();
				JdbcInstances instances = new JdbcInstances(LockDatabase.MARIADB, server.url(), LEASE, 2)) {
			instances.createTables();
			SingleConnectionDataSource connection = connection(instances);
			JdbcClient client = JdbcClient.create(connection);
			JdbcLeaseStore store = instances.store(connection);
			acquireAndRelease(store, 1);
			long before = status(client, "Questions");
			long rowsBefore = status(client, "Handler_update");
			acquireAndRelease(store, TIMES);
			assertThat(status(client, "Handler_update") - rowsBefore).isEqualTo(2 * TIMES);
			// The two questions for these figures are among them.
			assertThat(status(client, "Questions") - before).isEqualTo(3 * TIMES + 3);
		}
	}

	private static SingleConnectionDataSource connection(JdbcInstances instances) {
		return new SingleConnectionDataSource(DataSourceUtils.getConnection(instances.pool()), true);
	}

	private static long status(JdbcClient client, String name) {
		return client.sql("SHOW SESSION STATUS LIKE '%s'".formatted(name))
			.query((row, number) -> row.getLong("Value"))
			.single();
	}

	private static void acquireAndRelease(JdbcLeaseStore store, int times) {
		for (int i = 0; i < times; i++) {
			LeaseContender contender = new LeaseContender(UUID.randomUUID().toString(), "test",
					new LockId("stock", null), LockMode.EXCLUSIVE, 1, false);
			assertThat(store.acquire(contender, LEASE, false).granted()).isTrue();
			assertThat(store.release(contender)).isTrue();
		}
	}

}
