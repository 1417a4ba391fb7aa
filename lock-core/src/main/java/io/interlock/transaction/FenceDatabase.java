package io.interlock.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Where a connection finds the table of the fence. One data source may lead to several
 * places, by a route or by a schema that is set for each connection.
 *
 * @param place what tells it from others of the same data source
 */
record FenceDatabase(List<@Nullable String> place) {

	static FenceDatabase of(Connection connection) throws SQLException {
		return new FenceDatabase(Arrays.asList(connection.getMetaData().getURL(), connection.getCatalog(),
				FenceStatements.of(connection).placeOfTable(connection)));
	}

}
