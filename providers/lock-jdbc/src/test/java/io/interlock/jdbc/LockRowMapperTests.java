package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

import io.interlock.lease.LeaseStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockRowMapper} with rows that another program has written.
 */
class LockRowMapperTests {

	private final ResultSet rows = mock(ResultSet.class);

	private void row(String mode) throws SQLException {
		given(this.rows.next()).willReturn(true, false);
		given(this.rows.getString("contender")).willReturn("c-1");
		given(this.rows.getString("lock_mode")).willReturn(mode);
	}

	@Test
	void readsARow() throws SQLException {
		row("SHARED");
		assertThat(new LockRowMapper("interlock_").extractData(this.rows).orElseThrow().places()).hasSize(1);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "shared", "EVIL\n12:00:00.000 WARN" })
	void unknownModeNamesTableColumnAndRow(String mode) throws SQLException {
		row(mode);
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> new LockRowMapper("shop_").extractData(this.rows))
			.withMessageContaining("column lock_mode of contender 'c-1' in table shop_contender")
			.withMessageContaining("Delete that row")
			.matches((failure) -> !failure.isPassing() && failure.getMessage().lines().count() == 1);
	}

}
