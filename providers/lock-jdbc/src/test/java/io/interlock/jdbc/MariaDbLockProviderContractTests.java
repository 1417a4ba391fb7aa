package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;

import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.mariadb.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract for locks in MariaDB, on a server that is killed and started again. The
 * pools of the instances have one connection.
 */
class MariaDbLockProviderContractTests extends JdbcLockProviderContract {

	private static MariaDbServer server;

	MariaDbLockProviderContractTests() {
		super(LockDatabase.MARIADB, server.url(), 1);
	}

	@BeforeAll
	static void startServer() {
		server = MariaDbServer.start();
		try (JdbcInstances instances = new JdbcInstances(LockDatabase.MARIADB, server.url(), Duration.ofMinutes(1),
				1)) {
			instances.createTables();
		}
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	/**
	 * Tables that were made by hand have the character set of the database, which is
	 * latin1 for MariaDB.
	 */
	@Test
	void tablesOfAnotherCharacterSetHoldEveryKey() {
		JdbcClient client = JdbcClient.create(instances().pool());
		try {
			convert(client, "latin1");
			LockTemplate template = new LockTemplate(instances().start());
			for (String key : List.of("caf\u00E9", "\uD83D\uDD12", "\0")) {
				template.acquire(LockRequest.exclusive(lockName()).withKey(key)).close();
			}
			assertThat(client.sql("SELECT lock_key FROM interlock_lock WHERE lock_name = ?")
				.param(lockName())
				.query(String.class)
				.list()).containsExactlyInAnyOrder("caf\u00E9", "\\ud83d\\udd12", "\\u0000");
		}
		finally {
			convert(client, "utf8mb4 COLLATE utf8mb4_bin");
		}
	}

	@Test
	void tablesOfTheScriptTellNamesApart() {
		assertThat(JdbcClient.create(instances().pool())
			.sql("SELECT table_collation FROM information_schema.tables WHERE table_name IN ('interlock_lock', "
					+ "'interlock_contender')")
			.query(String.class)
			.list()).containsExactly("utf8mb4_bin", "utf8mb4_bin");
	}

	private static void convert(JdbcClient client, String characters) {
		client.sql("ALTER TABLE interlock_lock CONVERT TO CHARACTER SET " + characters).update();
		client.sql("ALTER TABLE interlock_contender CONVERT TO CHARACTER SET " + characters).update();
	}

	@Override
	protected void stopStore() {
		instances().expectOutage(true);
		server.kill();
	}

	@Override
	protected void startStore() {
		server.restart();
		instances().expectOutage(false);
	}

}
