package io.interlock.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStore.Renewed;
import org.jspecify.annotations.Nullable;

/**
 * Extends the leases of an instance, in parts or alone. Invariant: what waits for a
 * locked row keeps no connection that another renewal or call may need.
 */
final class Renewals {

	private static final int PART = 200;

	private final JdbcCalls calls;

	/** {@code null} if other calls may need the connection on which one waits. */
	private final @Nullable JdbcCalls waiting;

	private final JdbcStatements sql;

	private final boolean skipLocked;

	Renewals(JdbcCalls calls, @Nullable JdbcCalls waiting, JdbcStatements sql, boolean skipLocked) {
		this.calls = calls;
		this.waiting = waiting;
		this.sql = sql;
		this.skipLocked = skipLocked;
	}

	Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		Set<LeaseContender> renewed = new HashSet<>();
		Set<LeaseContender> passedOver = new HashSet<>();
		List<LeaseContender> all = List.copyOf(contenders);
		for (int start = 0; start < all.size(); start += PART) {
			List<LeaseContender> part = all.subList(start, Math.min(all.size(), start + PART));
			Renewed renewal = this.calls
				.run((client) -> new Renewal(client, this.sql, this.skipLocked).renew(part, lease));
			renewed.addAll(renewal.renewed());
			passedOver.addAll(renewal.passedOver());
		}
		return new Renewed(renewed, passedOver);
	}

	Renewed renewAlone(LeaseContender contender, Duration lease) {
		List<LeaseContender> alone = List.of(contender);
		return (this.waiting != null)
				? this.waiting.run((client) -> new Renewal(client, this.sql, false).renew(alone, lease))
				: renew(alone, lease);
	}

}
