package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Knows which tables and indexes a database has. Reading it locks none of them, whereas
 * some databases lock a table before they see that its index is there.
 */
final class SchemaCatalog {

	private static final Pattern CREATION = Pattern
		.compile("CREATE (TABLE|INDEX) IF NOT EXISTS ([\\w.]+)(?: ON ([\\w.]+))?.*", Pattern.DOTALL);

	private SchemaCatalog() {
	}

	/**
	 * Return whether a statement creates what is there already.
	 * @param statement any statement
	 * @param connection a connection to the database
	 */
	static boolean hasWhatIsCreatedBy(String statement, Connection connection) throws SQLException {
		Matcher creation = CREATION.matcher(statement);
		if (!creation.matches()) {
			return false;
		}
		String table = creation.group(3);
		return (table != null) ? hasIndex(creation.group(2), table, connection)
				: creation.group(1).equals("TABLE") && hasTable(creation.group(2), connection);
	}

	private static boolean hasTable(String table, Connection connection) throws SQLException {
		Name name = Name.of(table, connection);
		// An underscore in a pattern stands for any character.
		try (ResultSet rows = connection.getMetaData().getTables(name.catalog(), name.schema(), name.table(), null)) {
			return has("TABLE_NAME", name.table(), rows);
		}
	}

	private static boolean hasIndex(String index, String table, Connection connection) throws SQLException {
		Name name = Name.of(table, connection);
		try (ResultSet rows = connection.getMetaData()
			.getIndexInfo(name.catalog(), name.schema(), name.table(), false, true)) {
			return has("INDEX_NAME", index, rows);
		}
	}

	private static boolean has(String column, String name, ResultSet rows) throws SQLException {
		boolean found = false;
		while (rows.next()) {
			found |= name.equalsIgnoreCase(rows.getString(column));
		}
		return found;
	}

	/**
	 * A name as the catalogue spells it.
	 */
	private record Name(@Nullable String catalog, @Nullable String schema, String table) {

		static Name of(String name, Connection connection) throws SQLException {
			DatabaseMetaData data = connection.getMetaData();
			int dot = name.indexOf('.');
			String table = spelled(name.substring(dot + 1), data);
			if (dot < 0) {
				return new Name(connection.getCatalog(), connection.getSchema(), table);
			}
			String qualifier = spelled(name.substring(0, dot), data);
			return data.supportsSchemasInTableDefinitions() ? new Name(connection.getCatalog(), qualifier, table)
					: new Name(qualifier, null, table);
		}

		private static String spelled(String name, DatabaseMetaData data) throws SQLException {
			if (data.storesUpperCaseIdentifiers()) {
				return name.toUpperCase(Locale.ROOT);
			}
			return data.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
		}

	}

}
