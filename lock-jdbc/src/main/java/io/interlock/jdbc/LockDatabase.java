package io.interlock.jdbc;

import java.util.Locale;

/**
 * The databases whose clocks are known. Immutable.
 *
 * @since 0.1.0
 */
public enum LockDatabase {

	/** H2. */
	H2("h2", "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)", true),

	/** PostgreSQL. */
	POSTGRESQL("postgresql", "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", true),

	/** MySQL. */
	MYSQL("mysql", "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)", false),

	/** MariaDB. */
	MARIADB("mariadb", "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)", false);

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
