package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.interlock.LockMode;
import io.interlock.jdbc.LockRow.Row;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Reads a {@link LockRow} from the rows of its query.
 */
final class LockRowMapper implements ResultSetExtractor<Optional<LockRow>> {

	private final String tablePrefix;

	/** Create a mapper that names the tables in messages by their prefix. */
	LockRowMapper(String tablePrefix) {
		this.tablePrefix = tablePrefix;
	}

	/** Run a query, and return the line, or {@code null} if the lock has no row. */
	@Nullable LockRow read(JdbcClient.StatementSpec query) {
		return query.query(this).orElse(null);
	}

	/**
	 * Read all rows.
	 * @return the line, or empty if the lock has no row
	 */
	@Override
	public Optional<LockRow> extractData(ResultSet rows) throws SQLException {
		String owner = null;
		long ownerToken = 0;
		long lastToken = 0;
		boolean queued = false;
		boolean found = false;
		List<Row> places = new ArrayList<>();
		while (rows.next()) {
			found = true;
			owner = (rows.getInt("owned") == 1) ? rows.getString("owner") : null;
			ownerToken = rows.getLong("owner_token");
			lastToken = rows.getLong("last_token");
			queued = rows.getInt("queued") != 0;
			String contender = rows.getString("contender");
			if (contender != null) {
				places.add(place(contender, rows));
			}
		}
		return found ? Optional.of(new LockRow(owner, ownerToken, lastToken, queued, places)) : Optional.empty();
	}

	private Row place(String contender, ResultSet rows) throws SQLException {
		long value = rows.getLong("contender_token");
		Long token = rows.wasNull() ? null : value;
		return new Row(contender, mode(contender, rows.getString("lock_mode")), rows.getInt("permits"),
				rows.getLong("turn"), token, rows.getInt("alive") == 1);
	}

	private LockMode mode(String contender, @Nullable String text) {
		return Arrays.stream(LockMode.values())
			.filter((mode) -> mode.name().equals(text))
			.findFirst()
			.orElseThrow(() -> LeaseStoreException.lasting(
					"the column lock_mode of contender '%s' in table %scontender has the value '%s', which this release does not know"
						.formatted(contender, this.tablePrefix, text),
					"Delete that row, or give all instances the same release", null));
	}

}
