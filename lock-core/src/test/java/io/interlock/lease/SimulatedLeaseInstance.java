package io.interlock.lease;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;

import io.interlock.LockId;
import io.interlock.lease.LeaseSimulation.Fault;

/**
 * An instance of the application in a simulation.
 */
final class SimulatedLeaseInstance {

	private static final long NEVER = Long.MIN_VALUE / 2;

	/** A hold that is passed over is to be renewed alone. */
	private static final Fault[] EXCUSES = EnumSet.complementOf(EnumSet.of(Fault.PASSED_OVER)).toArray(Fault[]::new);

	final int number;

	final boolean failsFast;

	final SimulatedLeaseTime time;

	final LeaseLockProvider provider;

	private final LeaseSimulation simulation;

	private final SimulatedLeaseStore store;

	private final long[] struckAt = new long[Fault.values().length];

	long pausedUntil = NEVER;

	/** So many answers are late now. */
	int late;

	boolean closing;

	SimulatedLeaseInstance(LeaseSimulation simulation, int number, boolean failsFast) {
		this.simulation = simulation;
		this.number = number;
		this.failsFast = failsFast;
		Arrays.fill(this.struckAt, NEVER);
		this.time = new SimulatedLeaseTime(simulation, this);
		this.store = new SimulatedLeaseStore(simulation, this);
		LeaseSettings settings = new LeaseSettings("instance-" + number, LeaseSimulation.LEASE,
				Duration.ofMillis(simulation.pick(50, 200, 1000)), Duration.ofSeconds(1), simulation.pick(1, 2, 3),
				failsFast);
		this.provider = new LeaseLockProvider(this.store, settings, this.time);
	}

	void struck(Fault fault) {
		this.struckAt[fault.ordinal()] = this.simulation.now();
	}

	/** Return whether a fault has come here, within a time or now. */
	boolean wasStruck(long nanos, Fault... faults) {
		for (Fault fault : faults) {
			if (this.simulation.now() - this.struckAt[fault.ordinal()] <= nanos) {
				return true;
			}
		}
		return false;
	}

	/** Return whether a fault has come here that excuses a loss. */
	boolean wasStruckByAny(long nanos) {
		return this.late > 0 || wasStruck(nanos, EXCUSES) || this.simulation.now() - this.pausedUntil <= nanos;
	}

	/** Return whether this has had memory, threads and time for so long. */
	boolean wasWell(long nanos) {
		return !wasStruck(nanos, Fault.NO_MEMORY, Fault.NO_THREAD) && this.simulation.now() - this.pausedUntil > nanos;
	}

	void pause(long nanos) {
		this.pausedUntil = this.simulation.now() + nanos;
	}

	void tell(LockId id) {
		if (!this.simulation.chance(4)) {
			long delay = this.simulation.random.nextLong(3 * LeaseSimulation.MILLIS);
			this.simulation.at(this.simulation.now() + delay, this, "news of " + id, () -> this.store.tell(id));
		}
	}

	void close() {
		if (this.closing) {
			return;
		}
		this.closing = true;
		try {
			this.provider.close();
		}
		catch (Throwable ex) {
			this.simulation.checks.violated("close failed: " + ex);
		}
		this.simulation.checks.stopped(this);
	}

}
