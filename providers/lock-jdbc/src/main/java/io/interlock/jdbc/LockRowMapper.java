package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.interlock.LockMode;
import io.interlock.jdbc.LockRow.Row;

/**
 * Reads a {@link LockRow} from the rows of its query.
 */
final class LockRowMapper {

	private LockRowMapper() {
	}

	/**
	 * Read all rows.
	 * @return the line, or empty if the lock has no row
	 */
	static Optional<LockRow> read(ResultSet rows) throws SQLException {
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

	private static Row place(String contender, ResultSet rows) throws SQLException {
		long value = rows.getLong("contender_token");
		Long token = rows.wasNull() ? null : value;
		return new Row(contender, LockMode.valueOf(rows.getString("lock_mode")), rows.getInt("permits"),
				rows.getLong("turn"), token, rows.getInt("alive") == 1);
	}

}
