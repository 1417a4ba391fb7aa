package io.interlock.jdbc;

import java.util.concurrent.CompletableFuture;

import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.mariadb.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the warning of reads that are older than the lock at the default isolation of
 * MariaDB.
 */
@ExtendWith(OutputCaptureExtension.class)
class MariaDbStaleReadsTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seat");

	private static MariaDbServer server;

	private final LockTemplate locks = new LockTemplate(new InMemoryLockProvider());

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

	@Test
	void soldSeatThatLooksFreeIsWarnedOf(CapturedOutput output) {
		DriverManagerDataSource dataSource = new DriverManagerDataSource(server.url());
		JdbcClient client = JdbcClient.create(dataSource);
		client.sql("CREATE TABLE seat (id INT PRIMARY KEY, sold INT)").update();
		client.sql("INSERT INTO seat VALUES (7, 0)").update();
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		transaction.executeWithoutResult((status) -> {
			assertThat(client.sql("SELECT COUNT(*) FROM seat").query(Integer.class).single()).isOne();
			CompletableFuture.runAsync(
					() -> this.locks.executeWithoutResult(SEAT, (lock) -> transaction.executeWithoutResult((other) -> {
						assertThat(isFree(client)).isTrue();
						client.sql("UPDATE seat SET sold = 1 WHERE id = 7").update();
					})))
				.join();
			assertThat(this.locks.<Boolean, RuntimeException>execute(SEAT, (lock) -> isFree(client))).isTrue();
		});
		assertThat(output.getOut())
			.containsOnlyOnce("takes lock 'seat' inside a transaction of REPEATABLE_READ, the default of its database");
	}

	private static boolean isFree(JdbcClient client) {
		return client.sql("SELECT sold FROM seat WHERE id = 7").query(Integer.class).single() == 0;
	}

}
