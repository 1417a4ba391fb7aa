package io.interlock.benchmark.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.transaction.FenceSettings;
import io.interlock.transaction.TransactionFence;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What the fence adds to a transaction of two statements on PostgreSQL. The locks are in
 * memory, each thread has a lock and a row of its own.
 */
final class FenceScenario implements Scenario {

	private static final List<Integer> THREADS = List.of(1, 8);

	/** One for all ways, because the tokens of two providers do not compare. */
	private static final LockTemplate LOCKS = new LockTemplate(new InMemoryLockProvider());

	@Override
	public String name() {
		return "fence";
	}

	@Override
	public String title() {
		return "A transaction of two statements under a lock, with and without the fence, on PostgreSQL";
	}

	@Override
	public boolean byDefault() {
		return false;
	}

	@Override
	public String run(Site site) throws Exception {
		Path directory = site.directory().resolve("fence");
		try (PostgresServer server = PostgresServer.start(directory); HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(server.url());
			pool.setUsername("postgres");
			createTables(new JdbcTemplate(pool));
			List<Way> ways = THREADS.stream()
				.flatMap((threads) -> List.of(Way.without(pool, threads), Way.with(pool, threads)).stream())
				.toList();
			for (Way way : ways) {
				way.measure(site.seconds());
			}
			for (int round = 0; round < site.rounds(); round++) {
				for (Way way : ways) {
					way.readings.add(way.measure(site.seconds()));
				}
			}
			return "%s%n%s.%n".formatted(table(ways), PostgresServer.version());
		}
	}

	private static void createTables(JdbcTemplate jdbc) {
		jdbc.execute("CREATE TABLE stock (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)");
		jdbc.execute("INSERT INTO stock SELECT id, 0 FROM generate_series(1, 8) AS id");
	}

	private static Table table(List<Way> ways) {
		Table table = new Table(List.of("", "transactions/s", "lowest to highest", "median, ms", "p99, ms"));
		for (Way way : ways) {
			table.add(List.of(way.title, Table.number(way.figures((latencies) -> latencies.rate).median()),
					way.figures((latencies) -> latencies.rate).range(),
					Table.number(way.figures((latencies) -> latencies.millis(0.5)).median()),
					Table.number(way.figures((latencies) -> latencies.millis(0.99)).median())));
		}
		return table;
	}

	/**
	 * A way to run transactions.
	 */
	private static final class Way {

		private final String title;

		private final int threads;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transaction;

		private final List<Latencies> readings = new ArrayList<>();

		private Way(String title, int threads, HikariDataSource pool, JdbcTransactionManager manager) {
			this.title = "%s, %d thread%s".formatted(title, threads, (threads == 1) ? "" : "s");
			this.threads = threads;
			this.jdbc = new JdbcTemplate(pool);
			this.transaction = new TransactionTemplate(manager);
		}

		static Way without(HikariDataSource pool, int threads) {
			return new Way("without the fence", threads, pool, new JdbcTransactionManager(pool));
		}

		static Way with(HikariDataSource pool, int threads) {
			JdbcTransactionManager manager = new JdbcTransactionManager(pool);
			TransactionFence fence = new TransactionFence(manager, pool,
					new FenceSettings((id) -> true, "benchmark", Duration.ofSeconds(30)));
			fence.createTable();
			manager.addListener(fence);
			return new Way("with the fence", threads, pool, manager);
		}

		Figures figures(ToDoubleFunction<Latencies> reading) {
			return new Figures(this.readings.stream().mapToDouble(reading).toArray());
		}

		Latencies measure(double seconds) throws Exception {
			return Latencies.of(this.threads, seconds, this::increment);
		}

		private void increment(int id) {
			LOCKS.executeWithoutResult(LockRequest.exclusive("stock").withKey(String.valueOf(id)),
					(lock) -> this.transaction.executeWithoutResult((status) -> {
						int amount = Objects.requireNonNull(
								this.jdbc.queryForObject("SELECT amount FROM stock WHERE id = ?", Integer.class, id));
						this.jdbc.update("UPDATE stock SET amount = ? WHERE id = ?", amount + 1, id);
					}));
		}

	}

}
