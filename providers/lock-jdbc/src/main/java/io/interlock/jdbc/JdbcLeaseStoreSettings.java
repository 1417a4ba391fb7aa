package io.interlock.jdbc;

import java.time.Duration;
import java.util.regex.Pattern;

import org.springframework.util.Assert;

/**
 * How {@link JdbcLeaseStore} behaves.
 *
 * @param clock SQL expression for the time of the database, in milliseconds since the
 * epoch
 * @param returning whether the driver returns columns of updated rows as generated keys
 * @param skipLocked whether the database knows {@code LIMIT}, {@code SELECT} without
 * {@code FROM}, and {@code FOR UPDATE SKIP LOCKED}
 * @param byKey what stands behind the name of a table in {@code UPDATE} and
 * {@code DELETE} so that no row is looked at, and waited for, whose key is not in the
 * statement; empty where the database locks what it changes only. With it, {@code INSERT}
 * ends with {@code ON DUPLICATE KEY UPDATE}
 * @param callTimeout how long a statement may take
 * @param keepUnused how long the row of a lock that is not used is kept
 * @param tablePrefix how the names of the tables begin, with the schema if there is one:
 * {@code app.interlock_}
 * @param telling whether a release tells the instances that wait, as PostgreSQL can
 * @param namespace what keeps the locks apart from those of other applications in the
 * same tables, whose names may be the same; empty for none
 * @param passesOver whether {@code UPDATE} and {@code DELETE} may look for their row by a
 * query of the same table with {@code FOR UPDATE SKIP LOCKED}, so that they pass over a
 * row that another transaction has locked
 * @since 0.1.0
 */
public record JdbcLeaseStoreSettings(String clock, boolean returning, boolean skipLocked, String byKey,
		Duration callTimeout, Duration keepUnused, String tablePrefix, boolean telling, String namespace,
		boolean passesOver) {

	static final String TABLE_PREFIX = "interlock_";

	private static final Duration SHORTEST_USE = Duration.ofMinutes(1);

	/** An index has a longer name, and databases allow 63 characters. */
	private static final Pattern PREFIX = Pattern.compile("([A-Za-z_]\\w*\\.)?[A-Za-z_]\\w{0,39}");

	public JdbcLeaseStoreSettings {
		Assert.hasText(clock, "'clock' must not be empty");
		Assert.notNull(byKey, "'byKey' must not be null");
		Assert.isTrue(callTimeout.toMillis() > 0, () -> "'callTimeout' must be positive: " + callTimeout);
		Assert.isTrue(keepUnused.compareTo(SHORTEST_USE) >= 0,
				() -> "'keepUnused' must be at least %s: %s".formatted(SHORTEST_USE, keepUnused));
		Assert.notNull(namespace, "'namespace' must not be null");
		Assert.isTrue(isTablePrefix(tablePrefix), () -> "'tablePrefix' cannot begin a name: " + tablePrefix);
	}

	/**
	 * Create settings for tables with the prefix {@code interlock_}, whose releases tell
	 * no other instance.
	 * @param clock as above
	 * @param returning as above
	 * @param skipLocked as above
	 * @param byKey as above
	 * @param callTimeout as above
	 * @param keepUnused as above
	 */
	public JdbcLeaseStoreSettings(String clock, boolean returning, boolean skipLocked, String byKey,
			Duration callTimeout, Duration keepUnused) {
		this(clock, returning, skipLocked, byKey, callTimeout, keepUnused, TABLE_PREFIX, false);
	}

	/**
	 * Create settings without a namespace.
	 * @param clock as above
	 * @param returning as above
	 * @param skipLocked as above
	 * @param byKey as above
	 * @param callTimeout as above
	 * @param keepUnused as above
	 * @param tablePrefix as above
	 * @param telling as above
	 */
	public JdbcLeaseStoreSettings(String clock, boolean returning, boolean skipLocked, String byKey,
			Duration callTimeout, Duration keepUnused, String tablePrefix, boolean telling) {
		this(clock, returning, skipLocked, byKey, callTimeout, keepUnused, tablePrefix, telling, "");
	}

	/**
	 * Create settings that pass over locked rows where the database needs no
	 * {@code byKey} and can skip them.
	 * @param clock as above
	 * @param returning as above
	 * @param skipLocked as above
	 * @param byKey as above
	 * @param callTimeout as above
	 * @param keepUnused as above
	 * @param tablePrefix as above
	 * @param telling as above
	 * @param namespace as above
	 */
	public JdbcLeaseStoreSettings(String clock, boolean returning, boolean skipLocked, String byKey,
			Duration callTimeout, Duration keepUnused, String tablePrefix, boolean telling, String namespace) {
		this(clock, returning, skipLocked, byKey, callTimeout, keepUnused, tablePrefix, telling, namespace,
				skipLocked && byKey.isEmpty());
	}

	/**
	 * Return whether names of tables can begin like this: with a letter or an underscore,
	 * then letters, digits and underscores, all behind the name of a schema and a dot if
	 * there is one.
	 * @param prefix the beginning
	 * @return whether it is a {@code tablePrefix}
	 */
	public static boolean isTablePrefix(String prefix) {
		return PREFIX.matcher(prefix).matches();
	}

}
