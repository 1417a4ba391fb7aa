package io.interlock.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.interlock.LockMode;
import io.interlock.jdbc.Line.Place;

/**
 * Reads a {@link Line} from the rows of its query.
 */
final class LineRows {

	private LineRows() {
	}

	/**
	 * Read all rows.
	 * @return the line, or empty if the lock has no row
	 */
	static Optional<Line> read(ResultSet rows) throws SQLException {
		String owner = null;
		long ownerToken = 0;
		long lastToken = 0;
		boolean queued = false;
		boolean found = false;
		List<Place> places = new ArrayList<>();
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
		return found ? Optional.of(new Line(owner, ownerToken, lastToken, queued, places)) : Optional.empty();
	}

	private static Place place(String contender, ResultSet rows) throws SQLException {
		long value = rows.getLong("contender_token");
		Long token = rows.wasNull() ? null : value;
		return new Place(contender, LockMode.valueOf(rows.getString("lock_mode")), rows.getInt("permits"),
				rows.getLong("turn"), token, rows.getInt("alive") == 1);
	}

}
