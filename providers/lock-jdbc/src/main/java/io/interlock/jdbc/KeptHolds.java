package io.interlock.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Lets holds go on without their holders. One statement puts another contender in the
 * place of the holder and sets the end of its lease, so one of the two is there at any
 * moment, or none.
 */
final class KeptHolds {

	private static final int PART = 200;

	private final JdbcCalls calls;

	private final JdbcStatements sql;

	private final LockedRows lockedRows;

	private final ContenderRows rows;

	private final WrittenHolds written;

	KeptHolds(JdbcCalls calls, JdbcStatements sql, LockedRows lockedRows) {
		this.calls = calls;
		this.sql = sql;
		this.lockedRows = lockedRows;
		this.rows = new ContenderRows(sql);
		this.written = new WrittenHolds(calls);
	}

	boolean keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		boolean keeps = replace(contender, kept, rest);
		if (keeps) {
			this.written.write();
		}
		return keeps;
	}

	private boolean replace(LeaseContender contender, LeaseContender kept, Duration rest) {
		return this.lockedRows.run((client) -> this.rows.lock(client, contender), (client) -> {
			if (replace(client, contender, kept, rest.toMillis()) || isAlive(client, kept)) {
				return true;
			}
			if (isAlive(client, contender)) {
				throw LockedRows.passedOver(null);
			}
			return false;
		});
	}

	/** Return those contenders whose leases run, without locking a row. */
	Set<LeaseContender> held(Collection<LeaseContender> contenders) {
		Set<LeaseContender> held = new HashSet<>();
		List<LeaseContender> all = List.copyOf(contenders);
		for (int start = 0; start < all.size(); start += PART) {
			List<LeaseContender> part = all.subList(start, Math.min(all.size(), start + PART));
			Set<String> alive = this.calls.run((client) -> new Renewal(client, this.sql, false).alive(part));
			part.stream().filter((contender) -> alive.contains(contender.id())).forEach(held::add);
		}
		return held;
	}

	private boolean replace(JdbcClient client, LeaseContender contender, LeaseContender kept, long rest) {
		return (isExclusive(contender) && client.sql(this.sql.keepOwner())
			.params(kept.id(), rest, this.sql.idOf(contender.lock()), contender.id())
			.update() == 1)
				|| client.sql(this.sql.keepContender()).params(kept.id(), rest, contender.id()).update() == 1;
	}

	private boolean isAlive(JdbcClient client, LeaseContender contender) {
		return (isExclusive(contender) && !client.sql(this.sql.aliveOwners(1, 1))
			.params(this.sql.idOf(contender.lock()), contender.id())
			.query(String.class)
			.list()
			.isEmpty())
				|| !client.sql(this.sql.aliveContenders(1)).param(contender.id()).query(String.class).list().isEmpty();
	}

	private static boolean isExclusive(LeaseContender contender) {
		return contender.mode() == LockMode.EXCLUSIVE;
	}

}
