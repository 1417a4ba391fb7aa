package io.interlock.jdbc;

import java.util.List;

import io.interlock.lease.LeaseStoreException;

import org.springframework.util.StringUtils;

/**
 * Makes sure, once, that the tables are those of this release. A release that changes
 * them increments {@link #VERSION} and the number in its script.
 */
final class TableVersion {

	static final int VERSION = 1;

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private volatile boolean checked;

	TableVersion(JdbcCalls calls, JdbcStatements sql) {
		this.calls = calls;
		this.sql = sql;
	}

	/**
	 * Ask the database, unless it has confirmed the version before.
	 * @throws LeaseStoreException if it fails, or the tables have another version
	 */
	void check() {
		if (!this.checked) {
			List<Integer> versions = this.calls
				.run((client) -> client.sql(this.sql.version()).query(Integer.class).list());
			if (!versions.equals(List.of(VERSION))) {
				throw LeaseStoreException.lasting(
						("the tables of the locks have version %s according to '%s', but this release of Interlock "
								+ "needs version %d. Stop the instances of the other release, and replace the tables "
								+ "by those of schema-*.sql in lock-jdbc")
							.formatted(StringUtils.collectionToCommaDelimitedString(versions), this.sql.version(),
									VERSION),
						null);
			}
			this.checked = true;
		}
	}

}
