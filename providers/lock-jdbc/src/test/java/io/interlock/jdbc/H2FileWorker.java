package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;

/**
 * Keeps locks in a file of H2, and ends at once after that as if it was killed: nothing
 * that the database has in its memory is written any more.
 */
final class H2FileWorker {

	static final List<LockMode> MODES = List.of(LockMode.EXCLUSIVE, LockMode.PERMIT);

	static final String KEPT = "kept";

	static final Duration HOLD = Duration.ofMinutes(15);

	private H2FileWorker() {
	}

	static LeaseContender contender(String id, LockMode mode) {
		return new LeaseContender(id, "test", new LockId("report-" + mode, null), mode, 1, false);
	}

	public static void main(String[] arguments) {
		Duration lease = Duration.ofMinutes(1);
		JdbcInstances instances = new JdbcInstances(LockDatabase.H2, arguments[0], lease, 4);
		instances.createTables();
		JdbcLeaseStore store = instances.store(instances.pool());
		List<LeaseContender> holders = MODES.stream().map((mode) -> contender("holder-" + mode, mode)).toList();
		holders.forEach((holder) -> store.acquire(holder, lease, false));
		boolean kept = holders.stream()
			.map((holder) -> store.keep(holder, contender("kept-" + holder.id(), holder.mode()), HOLD))
			.reduce(true, Boolean::logicalAnd);
		System.out.println(kept ? KEPT : "not kept");
		Runtime.getRuntime().halt(1);
	}

}
