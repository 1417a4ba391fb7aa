package io.interlock.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.internal.LockHash;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStore.Renewed;
import io.interlock.testsupport.page.PageBlocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the SQL of {@code docs/operations.md} leaves to the holders of other locks, while
 * the transaction of the operator is open. The statements are read from the page.
 */
abstract class OperatorStatementsContract {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final LockId SEEN = new LockId("orders", "42");

	private final LockDatabase database;

	private final JdbcInstances instances;

	private final HikariDataSource pool;

	private final JdbcLeaseStore store;

	OperatorStatementsContract(LockDatabase database, String url) {
		this.database = database;
		this.instances = new JdbcInstances(database, url, LEASE, 4);
		this.instances.createTables();
		this.pool = this.instances.pool();
		this.store = this.instances.store(this.pool, null);
	}

	@AfterEach
	void close() {
		JdbcClient client = JdbcClient.create(this.pool);
		client.sql("DELETE FROM interlock_contender").update();
		client.sql("DELETE FROM interlock_lock").update();
		this.instances.close();
	}

	private LeaseContender contender(LockId lock, LockMode mode) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", lock, mode, 2, false);
	}

	private LeaseAnswer acquire(LeaseContender contender) {
		LeaseAnswer answer = this.store.acquire(contender, LEASE, true);
		assertThat(answer.granted()).isTrue();
		return answer;
	}

	@Test
	void othersAreRenewedWhileTheTransactionOfTheOperatorIsOpen() throws Exception {
		List<LeaseContender> others = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			LeaseContender other = contender(new LockId("held-" + i, null), LockMode.values()[i % 3]);
			acquire(other);
			others.add(other);
		}
		LeaseContender reader = contender(new LockId("prices", null), LockMode.SHARED);
		acquire(reader);
		long token = acquire(contender(SEEN, LockMode.EXCLUSIVE)).token();
		for (String block : blocks()) {
			String asked = block.replace("the-lock-id-that-was-seen", LockHash.of("", SEEN.name(), SEEN.key()))
				.replace("1234567890123456", Long.toString(token))
				.replace("the-contender-that-was-seen", reader.id());
			whileOpen(asked, () -> assertThat(this.store.renew(others, LEASE)).as(asked)
				.isEqualTo(Renewed.of(Set.copyOf(others))));
		}
	}

	private List<String> blocks() {
		List<String> blocks = new ArrayList<>(PageBlocks.blocks("operations", "Locks in a database", "sql"));
		assertThat(blocks).hasSizeGreaterThanOrEqualTo(4);
		blocks.addAll(rights());
		return blocks.stream()
			.map((block) -> block.replace("EXTRACT(EPOCH FROM clock_timestamp()) * 1000", this.database.clock())
				.replace("to_timestamp(lease_end / 1000.0)", time()))
			.toList();
	}

	private String time() {
		return switch (this.database) {
			case H2 -> "DATEADD(MILLISECOND, lease_end, TIMESTAMP '1970-01-01 00:00:00')";
			case POSTGRESQL -> "to_timestamp(lease_end / 1000.0)";
			case MYSQL, MARIADB -> "FROM_UNIXTIME(lease_end / 1000)";
		};
	}

	/**
	 * Return the blocks that grant rights, where they do not end the transaction.
	 */
	List<String> rights() {
		return List.of();
	}

	private void whileOpen(String block, Runnable action) throws Exception {
		try (Connection connection = this.pool.getConnection()) {
			connection.setAutoCommit(false);
			try {
				JdbcClient operator = JdbcClient.create(new SingleConnectionDataSource(connection, true));
				List.of(block.split(";\\s*\n")).forEach((statement) -> run(operator, statement));
				action.run();
			}
			finally {
				connection.rollback();
				connection.setAutoCommit(true);
			}
		}
	}

	private static void run(JdbcClient operator, String statement) {
		if (statement.startsWith("SELECT")) {
			assertThat(operator.sql(statement).query().listOfRows()).as(statement).isNotEmpty();
			return;
		}
		int rows = operator.sql(statement).update();
		assertThat(rows).as(statement).isEqualTo(statement.matches("(?s)(UPDATE|DELETE).*") ? 1 : 0);
	}

}
