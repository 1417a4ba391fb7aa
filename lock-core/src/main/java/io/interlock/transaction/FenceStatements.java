package io.interlock.transaction;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;

/**
 * How a database sets the rows of a {@link FenceTable}, so that a row which is not there
 * is added without a race, and a row which is there spoils no transaction.
 */
enum FenceStatements {

	/**
	 * One statement. {@code EXCLUDED} is the row that was to be added; a row with a
	 * greater token is neither changed nor counted.
	 */
	POSTGRESQL {

		@Override
		@Nullable FenceRefusal pass(FenceRows rows, SortedMap<String, Long> tokens) throws SQLException {
			int passed = rows.insert(tokens, "ON CONFLICT (lock_id) DO UPDATE SET token = EXCLUDED.token, "
					+ "used_at = EXCLUDED.used_at WHERE interlock_fence.token <= EXCLUDED.token");
			return (passed == tokens.size()) ? null : rows.findGreater(tokens, "");
		}

		@Override
		boolean isLockTimeout(SQLException ex) {
			return "55P03".equals(ex.getSQLState());
		}

		/** Several schemas of a search path may lead to one table. */
		@Override
		@Nullable String placeOfTable(Connection connection) throws SQLException {
			try (Statement statement = connection.createStatement();
					ResultSet found = statement
						.executeQuery("SELECT CAST(CAST('interlock_fence' AS regclass) AS oid)")) {
				found.next();
				return found.getString(1);
			}
		}

		@Override
		boolean keepsOneRow(FenceRows rows) throws SQLException {
			try {
				return super.keepsOneRow(rows);
			}
			catch (SQLException ex) {
				if ("42P10".equals(ex.getSQLState())) {
					return false;
				}
				throw ex;
			}
		}

	},

	/**
	 * The counts of the first statement tell nothing for certain. The second one reads
	 * the rows as they are, and not as a snapshot has them.
	 */
	MYSQL {

		@Override
		@Nullable FenceRefusal pass(FenceRows rows, SortedMap<String, Long> tokens) throws SQLException {
			rows.insert(tokens, "ON DUPLICATE KEY UPDATE used_at = IF(token <= VALUES(token), VALUES(used_at), "
					+ "used_at), token = GREATEST(token, VALUES(token))");
			return rows.findGreater(tokens, " FOR UPDATE");
		}

		@Override
		boolean isLockTimeout(SQLException ex) {
			return ex.getErrorCode() == 1205;
		}

		@Override
		boolean isOlderSnapshot(SQLException ex) {
			return ex.getErrorCode() == 1020;
		}

	},

	/**
	 * One row after the other, where a duplicate key spoils the statement only. The time
	 * that a database waits for a row is its own: in H2, that of a statement would stay
	 * with the connection.
	 */
	STANDARD {

		@Override
		@Nullable FenceRefusal pass(FenceRows rows, SortedMap<String, Long> tokens) throws SQLException {
			for (Map.Entry<String, Long> entry : tokens.entrySet()) {
				FenceRefusal refusal = passOne(rows, entry.getKey(), entry.getValue());
				if (refusal != null) {
					return refusal;
				}
			}
			return null;
		}

		private @Nullable FenceRefusal passOne(FenceRows rows, String row, long token) throws SQLException {
			if (rows.update(row, token)) {
				return null;
			}
			FenceRefusal greater = rows.findGreater(row, token);
			if (greater != null || rows.insertIfAbsent(row, token) || rows.update(row, token)) {
				return greater;
			}
			greater = rows.findGreater(row, token);
			if (greater == null) {
				throw new CannotAcquireLockException("The row of the lock in interlock_fence is changed by others");
			}
			return greater;
		}

		@Override
		void addAgain(FenceRows rows) throws SQLException {
			rows.insertIfAbsent(FenceStatements.NO_LOCK, 1);
		}

	};

	/** The key of no row. */
	static final String NO_LOCK = "";

	static FenceStatements of(Connection connection) throws SQLException {
		return switch (connection.getMetaData().getDatabaseProductName()) {
			case "PostgreSQL" -> POSTGRESQL;
			case "MariaDB", "MySQL" -> MYSQL;
			default -> STANDARD;
		};
	}

	/** Return whether the statements have a time of their own. */
	boolean isBounded() {
		return this != STANDARD;
	}

	/**
	 * Return whether a failure is the end of the time for which the database waits for a
	 * row by its own configuration, which Spring does not know as one.
	 */
	boolean isLockTimeout(SQLException ex) {
		return false;
	}

	/**
	 * Return whether a failure says that a row is newer than the snapshot of the
	 * transaction, which Spring does not know as a conflict.
	 */
	boolean isOlderSnapshot(SQLException ex) {
		return false;
	}

	/** Return what tells the table from others of its name in the same catalog. */
	@Nullable String placeOfTable(Connection connection) throws SQLException {
		return connection.getSchema();
	}

	/**
	 * Set rows to tokens, in their order, where these are not smaller.
	 * @return a row whose token is greater, or {@code null} if all rows were set
	 */
	abstract @Nullable FenceRefusal pass(FenceRows rows, SortedMap<String, Long> tokens) throws SQLException;

	/**
	 * Add a row twice, and return whether it is there once. It stays until the
	 * transaction is rolled back.
	 */
	boolean keepsOneRow(FenceRows rows) throws SQLException {
		pass(rows, new TreeMap<>(Map.of(NO_LOCK, 0L)));
		addAgain(rows);
		return rows.count(NO_LOCK) == 1;
	}

	void addAgain(FenceRows rows) throws SQLException {
		pass(rows, new TreeMap<>(Map.of(NO_LOCK, 1L)));
	}

}
