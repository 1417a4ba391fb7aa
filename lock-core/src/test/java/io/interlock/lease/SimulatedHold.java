package io.interlock.lease;

import io.interlock.LockMode;

/**
 * A hold as the checks of a simulation see it.
 */
final class SimulatedHold {

	static final long NEVER = Long.MAX_VALUE;

	final SimulatedLeaseContender contender;

	final SimulatedLeaseInstance instance;

	final LeaseGrant hold;

	final long grantedAt;

	/** When the store first said that it is none, or never. */
	long deniedAt = NEVER;

	/** Whether the last renewal has failed. */
	boolean doubted;

	/** By the clock of the instance, when the last request was sent that extends it. */
	long renewalSentAt;

	/** Whether its loss was known before. */
	boolean judged;

	boolean toldLost;

	/** Whether the lock is to be kept for a time without the holder. */
	boolean keeping;

	/**
	 * Whether it was to be kept; then its release may come when all callers have ended.
	 */
	boolean endsLate;

	/** Until when it would be kept for certain. */
	long keptUntil;

	/** Whether the store has said that it keeps the lock. */
	boolean kept;

	boolean released;

	SimulatedHold(SimulatedLeaseContender contender, LeaseGrant hold, long grantedAt) {
		this.contender = contender;
		this.instance = contender.instance;
		this.hold = hold;
		this.grantedAt = grantedAt;
		this.renewalSentAt = hold.confirmedAt();
	}

	long age() {
		return this.instance.time.nanoTime() - this.hold.confirmedAt();
	}

	boolean isOld() {
		return age() >= LeaseSimulation.LEASE_NANOS / 10 * 9;
	}

	/** Whether its time may be over, by whatever clock. */
	boolean mayBeOverAt(long now) {
		return (this.keeping && now >= this.keptUntil) || (isOld() && !this.kept);
	}

	boolean excludes(SimulatedHold other) {
		return this.hold.request().id().equals(other.hold.request().id())
				&& (this.hold.request().mode() != other.hold.request().mode()
						|| this.hold.request().mode() == LockMode.EXCLUSIVE);
	}

	@Override
	public String toString() {
		return "%s with %s".formatted(this.contender, this.hold);
	}

}
