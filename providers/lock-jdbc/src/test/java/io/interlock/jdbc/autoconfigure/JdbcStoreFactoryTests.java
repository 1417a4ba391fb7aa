package io.interlock.jdbc.autoconfigure;

import java.sql.SQLException;
import java.time.Duration;

import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.jdbc.autoconfigure.JdbcStoreFactory.Product;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.sql.init.DatabaseInitializationMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JdbcStoreFactory}.
 */
class JdbcStoreFactoryTests {

	private static JdbcLeaseStoreSettings settings(String product, @Nullable String clock) {
		JdbcLockProperties properties = new JdbcLockProperties(Duration.ofSeconds(15), Duration.ofMillis(50), 8, 2,
				Duration.ofDays(1), clock, DatabaseInitializationMode.NEVER, "", null, "interlock_", null);
		return JdbcStoreFactory.settings(new Product(product, 99, 0, "jdbc:test"), properties, "shop");
	}

	@ParameterizedTest
	@EnumSource
	void clockOfTheApplicationChangesTheClockAndNothingElse(LockDatabase database) {
		JdbcLeaseStoreSettings known = settings(database.product(), null);
		assertThat(settings(database.product(), "my_clock()")).usingRecursiveComparison()
			.ignoringFields("clock")
			.isEqualTo(known);
		assertThat(settings(database.product(), "my_clock()").clock()).isEqualTo("my_clock()");
		assertThat(known.clock()).isEqualTo(database.clock());
		assertThat(known.skipLocked()).isTrue();
		assertThat(known.telling()).isEqualTo(database == LockDatabase.POSTGRESQL);
	}

	@Test
	void otherDatabaseNeedsAClock() {
		assertThat(settings("Oracle", "my_clock()").skipLocked()).isFalse();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> settings("Oracle", null))
			.withMessageContaining("the clock of Oracle is not known")
			.withMessageContaining("interlock.jdbc.clock")
			.matches((ex) -> !ex.isPassing());
	}

	@ParameterizedTest
	@CsvSource({ "28P01, false", "28000, false", "08001, true", "57P03, true", ", true" })
	void onlyARefusedUserIsLasting(@Nullable String state, boolean passing) {
		LeaseStoreException failure = ConnectFailures.translate(new SQLException("the test refuses", state));
		assertThat(failure.isPassing()).isEqualTo(passing);
		assertThat(failure).hasMessageContaining("the test refuses");
	}

}
