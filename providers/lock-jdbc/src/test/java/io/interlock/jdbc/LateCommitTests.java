package io.interlock.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.transaction.CommitVerification;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.LockVerifyingTransactionListener;
import io.interlock.transaction.TransactionFence;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A holder stands still in its commit, behind the last look at its lock, and loses the
 * lock meanwhile. The next holder increments the same counter. Without the fence it reads
 * what was there before, and one of the two increments is lost.
 */
class LateCommitTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	@Test
	void h2LosesAnUpdateWithoutTheFenceOnly() throws Exception {
		losesAnUpdateWithoutTheFenceOnly("jdbc:h2:mem:late-commit", "");
	}

	@Test
	void postgresLosesAnUpdateWithoutTheFenceOnly() throws Exception {
		try (PostgresServer server = PostgresServer.start()) {
			losesAnUpdateWithoutTheFenceOnly(server.url(), "postgres");
		}
	}

	@Test
	void mariaDbLosesAnUpdateWithoutTheFenceOnly() throws Exception {
		try (MariaDbServer server = MariaDbServer.start()) {
			losesAnUpdateWithoutTheFenceOnly(server.url(), "");
		}
	}

	/** The snapshot of the later one is older than its wait for the fence. */
	@Test
	void snapshotThatIsTooOldIsAFailureOfItsOwnOnPostgres() throws Exception {
		try (PostgresServer server = PostgresServer.start(); HikariDataSource pool = pool(server.url(), "postgres")) {
			for (int isolation : new int[] { TransactionDefinition.ISOLATION_REPEATABLE_READ,
					TransactionDefinition.ISOLATION_SERIALIZABLE }) {
				Holders holders = new Holders(pool, true);
				holders.later.setIsolationLevel(isolation);
				assertThatExceptionOfType(ExecutionException.class).isThrownBy(holders::increment)
					.havingCause()
					.isInstanceOf(ConcurrencyFailureException.class);
			}
		}
	}

	private static void losesAnUpdateWithoutTheFenceOnly(String url, String user) throws Exception {
		try (HikariDataSource pool = pool(url, user)) {
			assertThat(new Holders(pool, false).increment()).as("without the fence").isOne();
			assertThat(new Holders(pool, true).increment()).as("with the fence").isEqualTo(2);
		}
	}

	/** Return a pool for a database with a counter. */
	private static HikariDataSource pool(String url, String user) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername(user);
		JdbcClient.create(pool).sql("CREATE TABLE counter (amount INTEGER NOT NULL)").update();
		JdbcClient.create(pool).sql("INSERT INTO counter VALUES (0)").update();
		return pool;
	}

	/** Two holders of one lock, of which the second one overtakes the first. */
	private static final class Holders {

		private final InMemoryLockProvider provider = new InMemoryLockProvider();

		private final LockTemplate locks = new LockTemplate(this.provider);

		private final PausedCommits commits;

		private final WatchedDataSource watched;

		private final JdbcClient jdbc;

		private final TransactionTemplate earlier;

		private final TransactionTemplate later;

		private final String waiting;

		Holders(HikariDataSource pool, boolean fenced) {
			this.commits = new PausedCommits(pool);
			this.watched = new WatchedDataSource(this.commits);
			this.jdbc = JdbcClient.create(this.watched);
			this.waiting = fenced ? "interlock_fence" : "UPDATE counter";
			JdbcTransactionManager manager = new JdbcTransactionManager(this.watched);
			manager.addListener(new LockVerifyingTransactionListener(CommitVerification.QUORUM));
			if (fenced) {
				TransactionFence fence = new TransactionFence(manager, this.watched,
						new FenceSettings((id) -> true, "test", Duration.ofSeconds(30)));
				fence.createTable();
				manager.addListener(fence);
			}
			this.earlier = new TransactionTemplate(manager);
			this.later = new TransactionTemplate(manager);
		}

		/** Let both of them increment the counter, and return by how much it rises. */
		int increment() throws Exception {
			int before = amount();
			CompletableFuture<Void> earlier = onAThread("earlier", () -> {
				try (LockHandle lock = this.locks.acquire(STOCK)) {
					increment(this.earlier);
					assertThat(lock.isLost()).isTrue();
				}
			});
			this.commits.awaitPause();
			this.watched.forget();
			this.provider.changeState(STOCK.id(), LockState.LOST);
			CompletableFuture<Void> later = onAThread("later", () -> {
				try (LockHandle lock = this.locks.acquire(STOCK)) {
					increment(this.later);
					assertThat(lock.isValid()).isTrue();
				}
			});
			awaitStatementThatWaits();
			this.commits.resume();
			earlier.get(30, TimeUnit.SECONDS);
			later.get(30, TimeUnit.SECONDS);
			return amount() - before;
		}

		private static CompletableFuture<Void> onAThread(String name, Runnable action) {
			return CompletableFuture.runAsync(action, (task) -> new Thread(task, name).start());
		}

		private void increment(TransactionTemplate transaction) {
			transaction.executeWithoutResult(
					(status) -> this.jdbc.sql("UPDATE counter SET amount = ?").param(amount() + 1).update());
		}

		private int amount() {
			return this.jdbc.sql("SELECT amount FROM counter").query(Integer.class).single();
		}

		/** The later one waits for the fence, or has read and waits for the counter. */
		private void awaitStatementThatWaits() {
			Awaitility.await()
				.until(() -> this.watched.statements.stream().anyMatch((sql) -> sql.contains(this.waiting)));
		}

	}

}
