package io.interlock.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import io.interlock.faults.counter.Counter;
import io.interlock.faults.counter.Fleet;
import io.interlock.faults.counter.LockStore;
import io.interlock.faults.counter.Moment;
import io.interlock.faults.counter.Tally;
import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three instances increment three rows by a read and a write, each under its lock, while
 * one after the other is stopped for longer than its session or lease. The transactions
 * of one of them are not fenced. {@code -Dfaults.trials} counts for longer.
 */
class FencedCounterIT {

	/** Each instance is stopped once. */
	private static final List<Moment> MOMENTS = List.of(Moment.COMMIT, Moment.HELD, Moment.READ);

	/** Without the fence an update is lost, sooner or later. */
	private static final int MOST_TRIALS = 5;

	private static final List<String> rows = new ArrayList<>();

	private static PostgresServer postgres;

	private static MariaDbServer mariaDb;

	@BeforeAll
	static void start() {
		postgres = PostgresServer.start();
		Counter.createAll(database("PostgreSQL"));
		mariaDb = MariaDbServer.start();
		Counter.createAll(database("MariaDB"));
	}

	@AfterAll
	static void stop() {
		if (postgres != null) {
			postgres.close();
		}
		if (mariaDb != null) {
			mariaDb.close();
		}
		Figures.publish("fenced-counter",
				"""
						| Locks | database | fence | stops | increments answered as committed | the row | lost updates | refused |
						|---|---|---|---|---|---|---|---|
						"""
						+ String.join("", rows),
				"");
	}

	private static DriverManagerDataSource database(String name) {
		return name.equals("PostgreSQL") ? new DriverManagerDataSource(postgres.url(), "postgres", "")
				: new DriverManagerDataSource(mariaDb.url(), "root", "");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ZooKeeper         | PostgreSQL
			ZooKeeper         | MariaDB
			PostgreSQL        | PostgreSQL
			PostgreSQL        | MariaDB
			Redis             | PostgreSQL
			Redis             | MariaDB
			Redis, fails over | PostgreSQL
			Redis, fails over | MariaDB
			""")
	@Proves(value = Promise.TRANSACTIONS, under = Fault.THE_PROCESS_IS_PAUSED, note = "with the fence")
	void rowEqualsTheAnswersWithTheFenceOnly(String locks, String name, @TempDir Path directory) throws Exception {
		DriverManagerDataSource database = database(name);
		try (LockStore store = LockStore.start(locks, directory);
				Fleet fleet = new Fleet(store, database.getUrl(), String.valueOf(database.getUsername()),
						Figures.logs("fenced-counter/" + locks.replaceAll("\\W+", "-") + "-" + name))) {
			Counter.resetAll(database);
			Map<Counter, Tally> answered = new EnumMap<>(Counter.class);
			int trials = 0;
			while (trials < Integer.getInteger("faults.trials", 1)
					|| (lost(Counter.BARE, answered, database) == 0 && trials < MOST_TRIALS)) {
				fleet.count(MOMENTS).forEach((counter, tally) -> answered.merge(counter, tally, Tally::plus));
				trials++;
			}
			for (Counter counter : Counter.values()) {
				Tally tally = answered.get(counter);
				rows.add("| %s | %s | %s | %d | %d | %d | %d | %s |%n".formatted(locks, name, counter.fence(),
						trials * MOMENTS.size(), tally.committed(), counter.read(database),
						lost(counter, answered, database), tally.describeRefused()));
			}
			assertThat(lost(Counter.BARE, answered, database)).as("lost without the fence").isPositive();
			assertThat(lost(Counter.FENCED, answered, database)).as("lost with the fence").isZero();
			assertThat(lost(Counter.SERIALIZABLE, answered, database)).as("lost at SERIALIZABLE").isZero();
		}
	}

	private static int lost(Counter counter, Map<Counter, Tally> answered, DataSource database) {
		return answered.get(counter).committed() - counter.read(database);
	}

}
