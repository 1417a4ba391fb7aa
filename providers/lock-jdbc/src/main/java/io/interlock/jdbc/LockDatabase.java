package io.interlock.jdbc;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The databases whose clocks are known. Immutable.
 * <p>
 * A clock must not use local time, whatever the zone of the session: local time repeats
 * an hour when summer time ends, and leases would last an hour longer.
 *
 * @since 0.1.0
 */
public enum LockDatabase {

	/** H2. */
	H2("H2", "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)", true, 2, 2),

	/** PostgreSQL. */
	POSTGRESQL("PostgreSQL", "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)", true, 9, 5),

	/** MySQL. */
	MYSQL("MySQL", "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)", false, 8, 0),

	/** MariaDB. */
	MARIADB("MariaDB", "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)", false, 10, 6);

	private final String product;

	private final String clock;

	private final boolean returning;

	/** The first version that can skip locked rows. */
	private final int major;

	private final int minor;

	LockDatabase(String product, String clock, boolean returning, int major, int minor) {
		this.product = product;
		this.clock = clock;
		this.returning = returning;
		this.major = major;
		this.minor = minor;
	}

	/**
	 * Return the database of a product.
	 * @param product name of the product, as its driver tells it
	 * @return the database, or empty if it is not one of these
	 */
	public static Optional<LockDatabase> ofProduct(String product) {
		return Arrays.stream(values()).filter((database) -> database.product.equalsIgnoreCase(product)).findFirst();
	}

	/**
	 * Return the database that a URL is for.
	 * @param url URL for the driver of a database, which may reach another one
	 * @return the database, or empty if it is not one of these
	 */
	public static Optional<LockDatabase> ofUrl(String url) {
		return Arrays.stream(values())
			.filter((database) -> url.startsWith("jdbc:%s:".formatted(database.product.toLowerCase(Locale.ROOT))))
			.findFirst();
	}

	/**
	 * {@return name of the product}
	 */
	public String product() {
		return this.product;
	}

	/**
	 * {@return SQL expression for the time, in milliseconds since the epoch}
	 */
	public String clock() {
		return this.clock;
	}

	/**
	 * {@return what stands behind the name of a table so that the database reads its rows
	 * by their keys} InnoDB locks each row that it looks at, and prefers to look at all
	 * rows of a small table.
	 */
	public String byKey() {
		return this.returning ? "" : "FORCE INDEX (PRIMARY)";
	}

	/**
	 * {@return whether the driver returns columns of updated rows as generated keys}
	 */
	public boolean returning() {
		return this.returning;
	}

	/**
	 * Return whether a version can pass over rows that are locked.
	 * @param major the major version, as the driver tells it
	 * @param minor the minor version
	 * @return whether it knows {@code FOR UPDATE SKIP LOCKED}
	 */
	public boolean skipsLocked(int major, int minor) {
		return major > this.major || (major == this.major && minor >= this.minor);
	}

	/**
	 * Return whether an update of a version can pass over its row. MySQL refuses a
	 * subquery of the table that is updated.
	 * @param major the major version, as the driver tells it
	 * @param minor the minor version
	 * @return whether an update may look for its row by {@code FOR UPDATE SKIP LOCKED}
	 */
	public boolean passesOver(int major, int minor) {
		return this != MYSQL && skipsLocked(major, minor);
	}

}
