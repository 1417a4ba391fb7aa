package io.interlock.sample;

import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;

import io.interlock.sample.database.DatabaseServer;
import io.interlock.sample.database.DatabaseUser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what another process of this machine can do with the database.
 */
class DatabaseUserTests {

	private static RunningBoxOffice boxOffice;

	@BeforeAll
	static void start() {
		boxOffice = RunningBoxOffice.first(List.of());
	}

	@AfterAll
	static void stop() {
		Path file = boxOffice.bean(DatabaseUser.class).file();
		assertThat(file).exists();
		boxOffice.close();
		assertThat(file).doesNotExist();
	}

	@ParameterizedTest
	@CsvSource({ "sa, ''", "sa, sa", "BOX_OFFICE, ''" })
	void nobodyConnectsWithoutThePassword(String user, String password) {
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connect(user, password))
			.withMessageContaining("Wrong user name or password");
	}

	@ParameterizedTest
	@ValueSource(strings = { "create alias run for \"java.lang.System.setProperty\"",
			"create alias run as $$ void run() { } $$", "create table leak (id int)", "shutdown",
			"create trigger run before insert on ticket call \"com.example.Trigger\"",
			"create user mallory password 'm' admin", "script to '/tmp/stolen.sql'",
			"call file_read('/etc/hostname', null)", "call csvwrite('/tmp/stolen.csv', 'select 1')",
			"create linked table linked ('', 'jdbc:h2:mem:x', '', '', 'y')" })
	void otherInstancesRunNoCode(String sql) throws Exception {
		try (Connection connection = connect(DatabaseUser.NAME, password())) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.createStatement().execute(sql))
				.withMessageContaining("right");
		}
	}

	@Test
	void otherInstancesReadAndWriteRows() throws Exception {
		try (Connection connection = connect(DatabaseUser.NAME, password())) {
			assertThat(connection.createStatement().executeUpdate("update event set price = price")).isPositive();
		}
	}

	@Test
	void onlyThisUserReadsThePassword() throws Exception {
		if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
			Path file = boxOffice.bean(DatabaseUser.class).file();
			assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
		}
	}

	private static String password() throws Exception {
		Properties properties = new Properties();
		properties.load(Files.newBufferedReader(boxOffice.bean(DatabaseUser.class).file()));
		return properties.getProperty("sample.database.password");
	}

	private static Connection connect(String user, String password) throws SQLException {
		return DriverManager.getConnection("jdbc:h2:tcp://localhost:%d/%s"
			.formatted(boxOffice.bean(DatabaseServer.class).port(), boxOffice.databaseName()), user, password);
	}

}
