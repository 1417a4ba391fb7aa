package io.interlock.jdbc;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStore.Renewed;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Extends the leases of some contenders by few statements, and passes over those whose
 * rows another transaction has locked, or waits for them.
 * <p>
 * Each statement is a transaction of its own, so that an instance that is stopped between
 * two of them keeps no rows from others. If another transaction locks a row after the
 * first statement has seen it unlocked, the second statement waits and fails at the
 * timeout of a call; the next renewal passes over the row.
 */
final class Renewal {

	private final JdbcClient client;

	private final JdbcStatements sql;

	private final boolean skipLocked;

	Renewal(JdbcClient client, JdbcStatements sql, boolean skipLocked) {
		this.client = client;
		this.sql = sql;
		this.skipLocked = skipLocked;
	}

	Renewed renew(List<LeaseContender> contenders, Duration lease) {
		List<LeaseContender> free = this.skipLocked ? unlocked(contenders) : contenders;
		if (!free.isEmpty() && extend(free, lease.toMillis()) >= contenders.size()) {
			return Renewed.of(Set.copyOf(free));
		}
		// A lease that has ended is never started again. So if a lease runs now, it ran
		// when the statements above extended it.
		Set<String> alive = alive(contenders);
		return new Renewed(
				free.stream().filter((contender) -> alive.contains(contender.id())).collect(Collectors.toSet()),
				contenders.stream()
					.filter((contender) -> alive.contains(contender.id()) && !free.contains(contender))
					.collect(Collectors.toSet()));
	}

	private List<LeaseContender> unlocked(List<LeaseContender> contenders) {
		Set<String> ids = new HashSet<>();
		List<String> locks = locks(contenders);
		if (!locks.isEmpty()) {
			ids.addAll(this.client.sql(this.sql.unlockedOwners(locks.size(), contenders.size()))
				.params(locks)
				.params(ids(contenders))
				.query(String.class)
				.list());
		}
		if (ids.size() < contenders.size()) {
			ids.addAll(this.client.sql(this.sql.unlockedContenders(contenders.size()))
				.params(ids(contenders))
				.query(String.class)
				.list());
		}
		return contenders.stream().filter((contender) -> ids.contains(contender.id())).toList();
	}

	private int extend(List<LeaseContender> contenders, long lease) {
		List<String> ids = ids(contenders);
		List<String> locks = locks(contenders);
		int count = 0;
		if (!locks.isEmpty()) {
			count += this.client.sql(this.sql.renewOwners(locks.size(), ids.size()))
				.param(lease)
				.params(locks)
				.params(ids)
				.update();
		}
		if (count < ids.size()) {
			count += this.client.sql(this.sql.renewContenders(ids.size())).param(lease).params(ids).update();
		}
		return count;
	}

	/** Return the identifiers of those whose leases run, without locking a row. */
	Set<String> alive(List<LeaseContender> contenders) {
		List<String> ids = ids(contenders);
		List<String> locks = locks(contenders);
		Set<String> alive = new HashSet<>(
				this.client.sql(this.sql.aliveContenders(ids.size())).params(ids).query(String.class).list());
		if (!locks.isEmpty()) {
			alive.addAll(this.client.sql(this.sql.aliveOwners(locks.size(), ids.size()))
				.params(locks)
				.params(ids)
				.query(String.class)
				.list());
		}
		return alive;
	}

	private static List<String> ids(List<LeaseContender> contenders) {
		return contenders.stream().map(LeaseContender::id).toList();
	}

	private List<String> locks(List<LeaseContender> contenders) {
		return contenders.stream()
			.filter((contender) -> contender.mode() == LockMode.EXCLUSIVE)
			.map((contender) -> this.sql.idOf(contender.lock()))
			.distinct()
			.toList();
	}

}
