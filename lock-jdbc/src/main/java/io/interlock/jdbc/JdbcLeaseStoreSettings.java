package io.interlock.jdbc;

import java.time.Duration;

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
 * statement; empty where the database locks what it changes only
 * @param callTimeout how long a statement may take
 * @param keepUnused how long the row of a lock that is not used is kept
 * @since 0.1.0
 */
public record JdbcLeaseStoreSettings(String clock, boolean returning, boolean skipLocked, String byKey,
		Duration callTimeout, Duration keepUnused) {

	private static final Duration SHORTEST_USE = Duration.ofMinutes(1);

	public JdbcLeaseStoreSettings {
		Assert.hasText(clock, "'clock' must not be empty");
		Assert.notNull(byKey, "'byKey' must not be null");
		Assert.isTrue(callTimeout.toMillis() > 0, () -> "'callTimeout' must be positive: " + callTimeout);
		Assert.isTrue(keepUnused.compareTo(SHORTEST_USE) >= 0,
				() -> "'keepUnused' must be at least %s: %s".formatted(SHORTEST_USE, keepUnused));
	}

}
