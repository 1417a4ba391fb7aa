package io.interlock.jdbc;

import java.util.Locale;

/**
 * The databases whose clocks are known. Immutable.
 * <p>
 * A clock must not pass through local time, whatever the zone of the session: that has an
 * hour twice a year that repeats itself, in which leases would never end.
 *
 * @since 0.1.0
 */
public enum LockDatabase {

	/** H2. */
	H2("h2", "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)", true),

	/** PostgreSQL. */
	POSTGRESQL("postgresql", "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", true),

	/** MySQL. */
	MYSQL("mysql", "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)", false),

	/** MariaDB. */
	MARIADB("mariadb", "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)", false);

	private final String product;

	private final String clock;

	private final boolean returning;

	LockDatabase(String product, String clock, boolean returning) {
		this.product = product;
		this.clock = clock;
		this.returning = returning;
	}

	/**
	 * Return whether this is the database of a product.
	 * @param product name of the product, as its driver tells it
	 * @return {@code true} if it is
	 */
	public boolean isProduct(String product) {
		return product.toLowerCase(Locale.ROOT).equals(this.product);
	}

	/**
	 * {@return SQL expression for the time, in milliseconds since the epoch}
	 */
	public String clock() {
		return this.clock;
	}

	/**
	 * {@return whether the driver returns columns of updated rows as generated keys}
	 */
	public boolean returning() {
		return this.returning;
	}

}
