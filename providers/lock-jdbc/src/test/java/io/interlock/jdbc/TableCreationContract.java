package io.interlock.jdbc;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.jdbc.autoconfigure.JdbcLockAutoConfiguration;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an instance that starts with {@code interlock.jdbc.initialize-schema=always} owes
 * the holders of the other instances, while a transaction is open that has changed the
 * table of the locks.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class TableCreationContract {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final String TABLES = "interlock.jdbc.schema=classpath:io/interlock/jdbc/schema-@@platform@@.sql";

	/** Adds an index to the table of the locks. */
	private static final String INDEX = "interlock.jdbc.schema=classpath:io/interlock/jdbc/schema-with-index.sql";

	private final LockDatabase database;

	private final JdbcInstances instances;

	private final HikariDataSource pool;

	private final JdbcLeaseStore store;

	private final List<LeaseContender> holders = new ArrayList<>();

	TableCreationContract(LockDatabase database, String url) {
		this.database = database;
		this.instances = new JdbcInstances(database, url, LEASE, 4);
		this.pool = this.instances.pool();
		this.store = this.instances.store(this.pool, null);
	}

	@BeforeEach
	void hold() {
		this.instances.createTables();
		for (int i = 0; i < 10; i++) {
			acquire("held-" + i);
		}
	}

	private void acquire(String name) {
		LeaseContender holder = new LeaseContender(UUID.randomUUID().toString(), "test", new LockId(name, null),
				LockMode.EXCLUSIVE, 1, false);
		assertThat(this.store.acquire(holder, LEASE, false).granted()).isTrue();
		this.holders.add(holder);
	}

	@AfterEach
	void close() {
		JdbcClient.create(this.pool).sql("DELETE FROM interlock_lock").update();
		this.instances.close();
	}

	private boolean start(String schema) {
		return start(this.pool, schema, "interlock.jdbc.pool-size=2");
	}

	private static boolean start(DataSource database, String... properties) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class))
			.withBean(DataSource.class, () -> database, (bean) -> bean.setDestroyMethodName(""))
			.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=always",
					"interlock.startup-timeout=30s")
			.withPropertyValues(properties)
			.run((context) -> assertThat(context).hasSingleBean(LeaseLockProvider.class));
		return true;
	}

	/**
	 * Start an instance while a transaction is open, and renew the leases meanwhile.
	 */
	private void startBesideAnOpenTransaction(String schema) throws Exception {
		try (Connection transaction = this.pool.getConnection(); Statement change = transaction.createStatement()) {
			transaction.setAutoCommit(false);
			change.executeUpdate("INSERT INTO interlock_lock (lock_id, lock_name, lock_key, token, owner_token, "
					+ "lease_end, queued) VALUES ('open', 'open', '', 1, 0, 0, 0)");
			try {
				Background<Boolean> start = Background.start(() -> start(schema));
				do {
					assertThat(this.store.renew(this.holders, LEASE).renewed())
						.containsExactlyInAnyOrderElementsOf(this.holders);
				}
				while (start.isRunning());
				assertThat(start.join()).isTrue();
			}
			finally {
				transaction.rollback();
				transaction.setAutoCommit(true);
			}
		}
	}

	private boolean hasIndex() throws Exception {
		List<String> names = new ArrayList<>();
		try (Connection connection = this.pool.getConnection();
				var rows = connection.getMetaData()
					.getIndexInfo(connection.getCatalog(), connection.getSchema(),
							connection.getMetaData().storesUpperCaseIdentifiers() ? "INTERLOCK_LOCK" : "interlock_lock",
							false, true)) {
			while (rows.next()) {
				names.add(String.valueOf(rows.getString("INDEX_NAME")));
			}
		}
		return names.stream().anyMatch("test_instance"::equalsIgnoreCase);
	}

	@Test
	void startWhereTheTablesAreThereChangesNothing(CapturedOutput output) throws Exception {
		startBesideAnOpenTransaction(TABLES);
		assertThat(output).doesNotContain("script that creates the tables");
	}

	@Test
	void changeThatCannotBeMadeNowGivesWayToTheHolders(CapturedOutput output) throws Exception {
		startBesideAnOpenTransaction(INDEX);
		assertThat(hasIndex()).isFalse();
		assertThat(output).containsPattern("WARN .*The script that creates the tables of the locks was not completed")
			.contains("CREATE INDEX IF NOT EXISTS test_instance");
		start(INDEX);
		assertThat(hasIndex()).isTrue();
		JdbcClient.create(this.pool).sql(dropIndex("test_instance")).update();
	}

	@Test
	void limitOfTheScriptEndsWithIt() {
		this.pool.setMaximumPoolSize(1);
		String before = patience();
		start(this.pool, INDEX, "interlock.jdbc.pool-size=0");
		assertThat(patience()).isEqualTo(before);
		JdbcClient.create(this.pool).sql(dropIndex("test_instance")).update();
	}

	/**
	 * Return how long a statement of the only connection waits for a table.
	 */
	private String patience() {
		return JdbcClient.create(this.pool).sql(switch (this.database) {
			case H2 -> "CALL LOCK_TIMEOUT()";
			case POSTGRESQL -> "SHOW lock_timeout";
			case MYSQL, MARIADB -> "SELECT @@lock_wait_timeout";
		}).query(String.class).single();
	}

	String dropIndex(String name) {
		return "DROP INDEX " + name;
	}

}
