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
 * @param lease Length of a lease, renewed every twelfth of it. If an instance crashes,
 * its locks become free when their leases end.
 * @param pollInterval Time between two polls of an instance that waits for a lock. Grows
 * to up to a second if the holder keeps the lock.
 * @param threads Number of threads that request locks from the database, at most one for
 * each connection if locks have their own pool.
 * @param poolSize Number of connections for threads that request locks, in a pool
 * configured like the application's. The pool has two more connections for releases, and
 * one for renewals. Zero uses the connections of the application.
 * @param keepUnused Time after which the row of an unused lock is deleted.
 * @param clock SQL expression for the time of the database in milliseconds since the
 * epoch. Built in for H2, PostgreSQL, MySQL and MariaDB.
 * @param initializeSchema When to create the tables on startup.
 * @param schema Location of the script that creates the tables. '@@platform@@' is
 * replaced by the platform.
 * @param platform Platform to use in the location of the script. Defaults to what the
 * driver reports.
 * @param tablePrefix Prefix of the table names, including the schema if there is one, as
 * in 'app.interlock_'.
 * @param notifies Whether PostgreSQL notifies waiting instances of a release, with LISTEN
 * and NOTIFY. Defaults to true if locks have their own pool, over one more connection of
 * it. 'true' also takes a connection from any other DataSource.
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
