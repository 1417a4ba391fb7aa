package io.interlock.sample.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

import io.interlock.sample.BoxOfficeProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for {@link DatabaseServer} and its failure analyzers.
 */
class DatabaseServerTests {

	private final DatabaseServer server = new DatabaseServer(properties(0));

	@AfterEach
	void stop() {
		this.server.destroy();
	}

	@Test
	void servesTheDatabase() throws SQLException {
		try (Connection local = DriverManager.getConnection("jdbc:h2:mem:served", "sa", "");
				Connection remote = DriverManager.getConnection(url("served"), "sa", "")) {
			local.createStatement().execute("create table seat (number int)");
			assertThat(remote.createStatement().executeUpdate("insert into seat values (1)")).isOne();
		}
	}

	@Test
	void servesNoOtherDatabase() throws SQLException {
		try (Connection local = DriverManager.getConnection("jdbc:h2:mem:other", "sa", "")) {
			assertThat(local.isValid(1)).isTrue();
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> DriverManager.getConnection(url("mem:other"), "sa", ""));
		}
	}

	@Test
	void refusesABusyPortAndSaysHowToJoin() {
		DatabasePortInUseException failure = catchThrowableOfType(DatabasePortInUseException.class,
				() -> new DatabaseServer(properties(this.server.port())));
		FailureAnalysis analysis = new DatabasePortInUseFailureAnalyzer().analyze(failure);
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).contains("port " + this.server.port());
		assertThat(analysis.getAction()).contains("-Dspring-boot.run.profiles=join", "--spring.profiles.active=join");
	}

	@Test
	void saysToStartTheFirstInstanceWhenThereIsNone() {
		this.server.destroy();
		SQLException failure = catchThrowableOfType(SQLException.class,
				() -> DriverManager.getConnection(url("served"), "sa", ""));
		FailureAnalysis analysis = new DatabaseUnreachableFailureAnalyzer().analyze(failure);
		assertThat(analysis).isNotNull();
		assertThat(analysis.getAction()).contains("Start the first box office");
	}

	private String url(String name) {
		return "jdbc:h2:tcp://localhost:%d/%s".formatted(this.server.port(), name);
	}

	private static BoxOfficeProperties properties(int port) {
		return new BoxOfficeProperties(true, false, Duration.ZERO, new BoxOfficeProperties.Rush(1),
				new BoxOfficeProperties.Settlement(Duration.ZERO),
				new BoxOfficeProperties.Database("served", true, port));
	}

}
