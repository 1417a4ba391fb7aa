package io.interlock.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/** The rows of a {@link FenceTable} in an open transaction. */
final class FenceRows {

	private static final String INSERT = "INSERT INTO interlock_fence (lock_id, token, used_at) VALUES ";

	private final Connection connection;

	private final long usedAt;

	private final int seconds;

	/**
	 * Create rows.
	 * @param connection runs the statements
	 * @param usedAt what the rows are marked with that are set
	 * @param seconds how long each of them may wait, or 0 for as long as the database has
	 * it wait
	 */
	FenceRows(Connection connection, long usedAt, int seconds) {
		this.connection = connection;
		this.usedAt = usedAt;
		this.seconds = seconds;
	}

	/** Insert rows, and return how many the database counts. */
	int insert(SortedMap<String, Long> tokens, String onConflict) throws SQLException {
		try (PreparedStatement statement = prepare(
				INSERT + String.join(", ", Collections.nCopies(tokens.size(), "(?, ?, ?)")) + " " + onConflict)) {
			int index = 1;
			for (Map.Entry<String, Long> entry : tokens.entrySet()) {
				statement.setString(index++, entry.getKey());
				statement.setLong(index++, entry.getValue());
				statement.setLong(index++, this.usedAt);
			}
			return statement.executeUpdate();
		}
	}

	boolean insertIfAbsent(String row, long token) throws SQLException {
		try (PreparedStatement statement = prepare(INSERT + "(?, ?, ?)")) {
			statement.setString(1, row);
			statement.setLong(2, token);
			statement.setLong(3, this.usedAt);
			return statement.executeUpdate() == 1;
		}
		catch (SQLIntegrityConstraintViolationException ex) {
			return false;
		}
	}

	/** Set a row, and return whether it is there and its token is not greater. */
	boolean update(String row, long token) throws SQLException {
		try (PreparedStatement statement = prepare(
				"UPDATE interlock_fence SET token = ?, used_at = ? WHERE lock_id = ? AND token <= ?")) {
			statement.setLong(1, token);
			statement.setLong(2, this.usedAt);
			statement.setString(3, row);
			statement.setLong(4, token);
			return statement.executeUpdate() == 1;
		}
	}

	int count(String row) throws SQLException {
		try (PreparedStatement statement = prepare("SELECT COUNT(*) FROM interlock_fence WHERE lock_id = ?")) {
			statement.setString(1, row);
			try (ResultSet found = statement.executeQuery()) {
				found.next();
				return found.getInt(1);
			}
		}
	}

	/** Return one of the rows that are not marked like this, or {@code null}. */
	@Nullable String findOther(Map<String, FenceMark> marks) throws SQLException {
		Set<String> others = new TreeSet<>(marks.keySet());
		try (PreparedStatement statement = prepare(
				"SELECT lock_id, token, used_at FROM interlock_fence WHERE lock_id IN (" + placeholders(marks.size())
						+ ")")) {
			int index = 1;
			for (String row : others) {
				statement.setString(index++, row);
			}
			try (ResultSet found = statement.executeQuery()) {
				while (found.next()) {
					String row = found.getString(1);
					if (new FenceMark(found.getLong(2), found.getLong(3)).equals(marks.get(row))) {
						others.remove(row);
					}
				}
			}
		}
		return others.stream().findFirst().orElse(null);
	}

	/** Return what a row is marked with, or {@code null} if it is not there. */
	@Nullable Long findUsedAt(String row) throws SQLException {
		try (PreparedStatement statement = prepare("SELECT used_at FROM interlock_fence WHERE lock_id = ?")) {
			statement.setString(1, row);
			try (ResultSet found = statement.executeQuery()) {
				return found.next() ? found.getLong(1) : null;
			}
		}
	}

	@Nullable FenceRefusal findGreater(String row, long token) throws SQLException {
		return findGreater(new TreeMap<>(Map.of(row, token)), "");
	}

	/** Return a row that has a greater token than this transaction, or {@code null}. */
	@Nullable FenceRefusal findGreater(SortedMap<String, Long> tokens, String locking) throws SQLException {
		try (PreparedStatement statement = prepare("SELECT lock_id, token FROM interlock_fence WHERE lock_id IN ("
				+ placeholders(tokens.size()) + ") ORDER BY lock_id" + locking)) {
			int index = 1;
			for (String row : tokens.keySet()) {
				statement.setString(index++, row);
			}
			try (ResultSet found = statement.executeQuery()) {
				while (found.next()) {
					Long own = tokens.get(found.getString(1));
					if (own != null && found.getLong(2) > own) {
						return new FenceRefusal(found.getString(1), found.getLong(2));
					}
				}
				return null;
			}
		}
	}

	/** Delete a row of a table that keeps what is rolled back. */
	void deleteIfAllowed(String row) {
		try (PreparedStatement statement = prepare("DELETE FROM interlock_fence WHERE lock_id = ?")) {
			statement.setString(1, row);
			statement.executeUpdate();
		}
		catch (SQLException ex) {
			// The row belongs to no lock. The fence needs no right to delete.
		}
	}

	private static String placeholders(int count) {
		return String.join(", ", Collections.nCopies(count, "?"));
	}

	private PreparedStatement prepare(String sql) throws SQLException {
		PreparedStatement statement = this.connection.prepareStatement(sql);
		if (this.seconds > 0) {
			statement.setQueryTimeout(this.seconds);
		}
		return statement;
	}

}
