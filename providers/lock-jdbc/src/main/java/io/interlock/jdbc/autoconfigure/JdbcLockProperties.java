package io.interlock.jdbc.autoconfigure;

import java.time.Duration;

import io.interlock.jdbc.JdbcLeaseStoreSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Configuration properties for locks in a relational database.
 *
 * @param lease Length of a lease. The locks of an instance that crashes are free when it
 * is over; it is renewed each twelfth of it.
 * @param pollInterval Time between two questions of an instance that waits for a lock. It
 * grows up to a second behind a holder that stays.
 * @param threads Number of threads that ask the database for locks, at most as many as
 * the connections of their own pool.
 * @param poolSize Number of connections for threads that ask for locks, in a pool like
 * that of the application. It has two more for releases, and one for renewals. Zero uses
 * the connections of the application.
 * @param keepUnused Time after which the row of a lock that is not used is deleted.
 * @param clock SQL expression for the time of the database in milliseconds since the
 * epoch. Known for H2, PostgreSQL, MySQL and MariaDB.
 * @param initializeSchema When to create the tables.
 * @param schema Location of the script that creates the tables. '@@platform@@' stands for
 * the platform.
 * @param platform Platform in the location of the script. Found out from the driver when
 * not set.
 * @param tablePrefix How the names of the tables begin, with the schema if there is one:
 * 'app.interlock_'.
 * @param notifies Whether PostgreSQL tells the instances that wait of a release, by
 * LISTEN and NOTIFY. By default it does, over one more connection of the pool that locks
 * have of their own. 'true' takes a connection from a DataSource that locks do not size,
 * too.
 * @since 0.1.0
 */
@ConfigurationProperties(prefix = "interlock.jdbc", ignoreUnknownFields = false)
public record JdbcLockProperties(@DefaultValue("15s") Duration lease, @DefaultValue("50ms") Duration pollInterval,
		@DefaultValue("8") int threads, @DefaultValue("2") int poolSize, @DefaultValue("1d") Duration keepUnused,
		@Nullable String clock, @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
		@DefaultValue("classpath:io/interlock/jdbc/schema-@@platform@@.sql") String schema, @Nullable String platform,
		@DefaultValue("interlock_") String tablePrefix, @Name("notify") @Nullable Boolean notifies) {

	private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

	public JdbcLockProperties {
		check(lease.compareTo(SHORTEST_LEASE) >= 0, "lease", lease, "It must be at least one second.");
		check(pollInterval.toMillis() > 0, "poll-interval", pollInterval, "It must be at least one millisecond.");
		check(threads > 0, "threads", threads, "It must be more than zero.");
		check(poolSize >= 0, "pool-size", poolSize, "It must not be negative.");
		check(keepUnused.toMinutes() > 0, "keep-unused", keepUnused, "It must be at least one minute.");
		check(JdbcLeaseStoreSettings.isTablePrefix(tablePrefix), "table-prefix", tablePrefix,
				"It must be 1 to 40 letters, digits and underscores, no digit first. A schema and a dot may come before.");
	}

	private static void check(boolean valid, String name, Object value, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException("interlock.jdbc." + name, value, reason);
		}
	}

}
