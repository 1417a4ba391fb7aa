package io.interlock.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.interlock.testsupport.mariadb.MariaDbServer;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests for the clocks of {@link LockDatabase}: they do not jump when a zone changes from
 * or to summer time.
 */
class LockDatabaseTests {

	private static final Instant TO_SUMMER_TIME = Instant.parse("2026-03-29T01:00:00Z");

	private static final Instant FROM_SUMMER_TIME = Instant.parse("2026-10-25T01:00:00Z");

	private static final Duration STEP = Duration.ofMinutes(15);

	private static final List<Instant> INSTANTS = Stream.of(TO_SUMMER_TIME, FROM_SUMMER_TIME)
		.flatMap((change) -> Stream.iterate(change.minus(Duration.ofHours(3)), (instant) -> instant.plus(STEP))
			.limit(24)
			.map((instant) -> instant.plusMillis(123)))
		.toList();

	@ParameterizedTest
	@EnumSource
	void clockReadsNoLocalTime(LockDatabase database) {
		assertThat(database.clock()).doesNotContain("NOW(", "UNIX_TIMESTAMP", "LOCALTIME", "CURDATE", "SYSDATE")
			.isEqualTo(switch (database) {
				case H2 -> "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)";
				case POSTGRESQL -> "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
				case MYSQL, MARIADB -> "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)";
			});
	}

	@Test
	void h2() throws SQLException {
		try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:clock")) {
			checkAt(connection, "SET TIME ZONE '%s'".formatted(MariaDbServer.ZONE), (instant) -> LockDatabase.H2.clock()
				.replace("CURRENT_TIMESTAMP", "(TIMESTAMP WITH TIME ZONE '%s' AT LOCAL)".formatted(instant)));
			checkNow(connection, LockDatabase.H2);
		}
	}

	@Test
	void postgres() throws SQLException {
		try (PostgresServer server = PostgresServer.start();
				Connection connection = DriverManager.getConnection(server.url(), "postgres", "")) {
			checkAt(connection, "SET TIME ZONE '%s'".formatted(MariaDbServer.ZONE),
					(instant) -> LockDatabase.POSTGRESQL.clock()
						.replace("clock_timestamp()", "TIMESTAMP WITH TIME ZONE '%s'".formatted(instant)));
			checkNow(connection, LockDatabase.POSTGRESQL);
		}
	}

	@Deep
	@Test
	void mariaDb() throws SQLException {
		try (MariaDbServer server = MariaDbServer.start();
				Connection connection = DriverManager.getConnection(server.url() + "&allowMultiQueries=true")) {
			checkMariaDb(connection, "SYSTEM");
			loadZone(connection);
			checkMariaDb(connection, MariaDbServer.ZONE);
			checkMariaDb(connection, "-05:00");
		}
	}

	private static void checkMariaDb(Connection connection, String zone) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute("SET time_zone = '%s'".formatted(zone));
			for (Instant instant : INSTANTS) {
				statement.execute(
						"SET timestamp = %d.%03d".formatted(instant.getEpochSecond(), instant.toEpochMilli() % 1000));
				assertThat(time(connection, LockDatabase.MARIADB.clock())).as("%s at %s", zone, instant)
					.isEqualTo(instant.toEpochMilli());
			}
			statement.execute("SET timestamp = DEFAULT");
		}
		checkNow(connection, LockDatabase.MARIADB);
	}

	private static void checkAt(Connection connection, String zone, Function<Instant, String> clock)
			throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(zone);
		}
		for (Instant instant : INSTANTS) {
			assertThat(time(connection, clock.apply(instant))).as("%s", instant).isEqualTo(instant.toEpochMilli());
		}
	}

	/**
	 * The clock of the system is that of the server. It may be set while this runs.
	 */
	private static void checkNow(Connection connection, LockDatabase database) throws SQLException {
		assertThat(Duration.ofMillis(time(connection, database.clock()) - System.currentTimeMillis()).abs())
			.isLessThan(Duration.ofMinutes(10));
	}

	private static long time(Connection connection, String clock) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("SELECT " + clock)) {
			assertThat(row.next()).isTrue();
			return row.getLong(1);
		}
	}

	/**
	 * Load the description of one zone into the tables of the server.
	 */
	private static void loadZone(Connection connection) throws SQLException {
		Path program = Path.of("/usr/bin/mariadb-tzinfo-to-sql");
		Path description = Path.of("/usr/share/zoneinfo", MariaDbServer.ZONE);
		assumeTrue(Files.isExecutable(program) && Files.isReadable(description), "Skipped: there are no zones");
		try (Statement statement = connection.createStatement()) {
			Process process = new ProcessBuilder(program.toString(), description.toString(), MariaDbServer.ZONE)
				.start();
			String script = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			statement.execute("USE mysql");
			statement.execute(script);
			statement.execute("USE locks");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
