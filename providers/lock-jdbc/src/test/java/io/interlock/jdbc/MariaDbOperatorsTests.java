package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.page.PageBlocks;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@code docs/security.md} grants on MariaDB, run as it stands there.
 */
class MariaDbOperatorsTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	@Test
	@Deep
	void theseRightsSufficeAndNoneIsSuperfluous() {
		try (MariaDbServer server = MariaDbServer.start();
				JdbcInstances instances = new JdbcInstances(LockDatabase.MARIADB, server.url(), LEASE, 1)) {
			instances.createTables();
			String url = server.url().replace("createDatabaseIfNotExist=true&", "");
			SingleConnectionDataSource connection = new SingleConnectionDataSource(server.url(), true);
			try {
				JdbcClient administrator = JdbcClient.create(connection);
				JdbcLeaseStore other = instances.store(instances.pool());
				LeaseContender held = contender(LockMode.EXCLUSIVE);
				assertThat(other.acquire(held, LEASE, true).granted()).isTrue();
				// From here on the server asks for rights.
				administrator.sql("FLUSH PRIVILEGES").update();
				PageBlocks.statements("security", "Rights in a database", "sql", 2, Map.of("change-me", "secret"))
					.forEach((statement) -> {
						administrator.sql(statement).update();
						assertThat(other.renew(List.of(held), LEASE).renewed()).containsExactly(held);
					});
				assertThat(other.release(held)).isTrue();
				JdbcLeaseStore store = new JdbcLeaseStore(new DriverManagerDataSource(url, "shop", "secret"),
						new JdbcLeaseStoreSettings(LockDatabase.MARIADB.clock(), false, true,
								LockDatabase.MARIADB.byKey(), Duration.ofSeconds(5), Duration.ofMinutes(1)));
				store.check();
				for (LockMode mode : LockMode.values()) {
					lock(store, mode);
				}
				administrator.sql("UPDATE interlock_lock SET lease_end = 0, token = 0").update();
				while (store.clean()) {
					assertThat(locks(administrator)).isOne();
				}
				assertThat(locks(administrator)).isZero();
				for (String right : new String[] { "SELECT", "INSERT", "UPDATE", "DELETE" }) {
					administrator.sql("REVOKE " + right + " ON interlock_contender FROM shop").update();
					assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(store::check)
						.withMessageContaining("interlock_contender");
					administrator.sql("GRANT " + right + " ON interlock_contender TO shop").update();
				}
			}
			finally {
				connection.destroy();
			}
		}
	}

	private static int locks(JdbcClient client) {
		return client.sql("SELECT COUNT(*) FROM interlock_lock").query(Integer.class).single();
	}

	private static LeaseContender contender(LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), mode, 2, false);
	}

	private static void lock(JdbcLeaseStore store, LockMode mode) {
		LeaseContender holder = contender(mode);
		assertThat(store.acquire(holder, LEASE, true).granted()).isTrue();
		assertThat(store.renew(List.of(holder), LEASE).renewed()).containsExactly(holder);
		assertThat(store.release(holder)).isTrue();
	}

}
