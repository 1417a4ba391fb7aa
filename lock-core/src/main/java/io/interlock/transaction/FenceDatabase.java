package io.interlock.transaction;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Where a connection finds the table of the fence. One data source may lead to several
 * places. A routing one is asked for all that tells them apart; that may cost a request.
 * Two connections of another one differ by their URL, or not at all.
 *
 * @param dataSource the one of the connection
 * @param place what the connection tells of itself
 */
record FenceDatabase(DataSource dataSource, List<@Nullable String> place) {

	static FenceDatabase of(DataSource dataSource, Connection connection) throws SQLException {
		DatabaseMetaData database = connection.getMetaData();
		return new FenceDatabase(dataSource,
				dataSource.isWrapperFor(AbstractRoutingDataSource.class) ? Arrays.asList(database.getURL(),
						database.getUserName(), connection.getCatalog(), connection.getSchema())
						: Arrays.asList(database.getURL()));
	}

}
