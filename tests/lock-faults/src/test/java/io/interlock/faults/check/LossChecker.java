package io.interlock.faults.check;

import java.time.Duration;
import java.util.List;

/**
 * One bad thing costs one lock: a hold is lost only if a fault has reached its lock or
 * its instance. A fault of another instance, or of another lock, is none of its own.
 */
public final class LossChecker implements Checker {

	/** Until a client that can reach the server again has renewed its leases. */
	private static final long RECOVERY_NANOS = Duration.ofSeconds(2).toNanos();

	private final Reach reach;

	/**
	 * Create a checker.
	 * @param reach what each fault may cost
	 */
	public LossChecker(Reach reach) {
		this.reach = reach;
	}

	@Override
	public List<Violation> check(History history) {
		return history.holds()
			.stream()
			.filter((hold) -> hold.isLost() && !isExplained(hold, history))
			.map((hold) -> new Violation("loss", "lost although no fault has reached it: " + hold))
			.toList();
	}

	/**
	 * The lease was renewed last before the holder was told for the last time that it
	 * holds the lock, and has ended a lease later at the latest. What begins when the
	 * loss is told has not brought it about.
	 */
	private boolean isExplained(ObservedHold hold, History history) {
		long lease = history.leaseOf(hold.worker()).toNanos();
		long told = Math.max(hold.grantedAt(), hold.lastValid());
		return history.faultsWithin(told - lease - RECOVERY_NANOS, Math.min(hold.lostAt(), told + lease))
			.anyMatch((fault) -> this.reach.reaches(fault, hold.worker(), hold.key()));
	}

	/**
	 * Tells what a fault may cost.
	 */
	@FunctionalInterface
	public interface Reach {

		/**
		 * Return whether a fault may end a hold.
		 * @param fault the fault
		 * @param worker whose hold it is
		 * @param key of which lock
		 */
		boolean reaches(ObservedFault fault, String worker, String key);

	}

}
