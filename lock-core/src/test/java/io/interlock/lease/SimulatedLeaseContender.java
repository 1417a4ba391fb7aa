package io.interlock.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.lease.LeaseSimulation.Fault;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * A caller in a simulation: it asks for a lock, waits or gives up, looks at its hold and
 * verifies it, releases it, and comes back.
 */
final class SimulatedLeaseContender {

	private static final LockCaller OWNER = new LockCaller("caller", Instant.EPOCH, null, false);

	private static final LockRequest MUTEX = LockRequest.exclusive("mutex");

	private static final LockRequest OTHER = LockRequest.exclusive("other");

	private static final LockRequest WRITER = LockRequest.exclusive("readWrite");

	private static final LockRequest READER = LockRequest.shared("readWrite");

	private static final LockRequest PERMIT = LockRequest.semaphore("permits", 2);

	final int number;

	final SimulatedLeaseInstance instance;

	private final LeaseSimulation simulation;

	private final LockRequest request;

	private final boolean waits;

	private int rounds;

	private @Nullable LockAttempt attempt;

	private boolean abandoned;

	private @Nullable SimulatedHold held;

	private boolean under;

	SimulatedLeaseContender(LeaseSimulation simulation, int number, SimulatedLeaseInstance instance, int kind,
			int rounds) {
		this.simulation = simulation;
		this.number = number;
		this.instance = instance;
		this.rounds = rounds;
		boolean second = simulation.chance(2);
		this.waits = !simulation.chance(6);
		LockRequest chosen = switch (kind) {
			case 0 -> MUTEX;
			case 1 -> second ? OTHER : MUTEX;
			case 2 -> second ? READER : WRITER;
			default -> PERMIT;
		};
		this.request = this.waits ? chosen : chosen.withWaitTime(Duration.ZERO);
	}

	private long time(int... millis) {
		return this.simulation.now()
				+ this.simulation.random.nextLong(this.simulation.pick(millis) * LeaseSimulation.MILLIS);
	}

	private void later(String what, Runnable action, int... millis) {
		this.simulation.at(time(millis), this.instance, what + " of contender " + this.number, action);
	}

	void begin() {
		later("attempt", this::attempt, 1, 100, 3000);
	}

	boolean isEnded() {
		return this.rounds == 0 && !this.under && this.held == null;
	}

	private void attempt() {
		this.rounds--;
		this.under = true;
		this.abandoned = false;
		boolean givesUp = this.simulation.chance(4);
		try {
			LockCaller owner = this.simulation.chance(8) ? OWNER.retrying() : OWNER;
			this.attempt = this.instance.provider.attempt(this.request, owner);
			this.attempt.outcome().whenComplete(this::decided);
		}
		catch (Throwable ex) {
			failed(ex);
			return;
		}
		if (givesUp) {
			later("end", this::abandon, 3, 100, 2000);
		}
	}

	private void abandon() {
		if (this.attempt == null) {
			return;
		}
		LockAttempt given = this.attempt;
		this.abandoned = true;
		try {
			given.abandon();
		}
		catch (Throwable ex) {
			this.simulation.checks.violated("giving up failed: " + ex);
		}
		if (!given.outcome().isDone()) {
			this.simulation.checks.violated("outcome not decided when given up: " + this);
		}
	}

	private void decided(@Nullable Optional<LockGrant> outcome, @Nullable Throwable failure) {
		this.attempt = null;
		if (outcome == null) {
			failed((failure != null) ? failure : new IllegalStateException());
		}
		else if (outcome.isEmpty()) {
			if (this.waits) {
				this.simulation.checks.violated("refused although it waits: " + this);
			}
			ended();
		}
		else {
			granted((LeaseGrant) outcome.get());
		}
	}

	private void failed(Throwable ex) {
		this.attempt = null;
		if (!isExpected(ex)) {
			this.simulation.checks.violated("attempt failed: " + this + " by " + ex);
		}
		ended();
	}

	private boolean isExpected(Throwable ex) {
		if (ex instanceof CancellationException) {
			return this.abandoned;
		}
		if (ex instanceof OutOfMemoryError) {
			return this.instance.wasStruck(Long.MAX_VALUE / 4, Fault.NO_MEMORY, Fault.NO_THREAD);
		}
		if (ex.getCause() == null) {
			return ex instanceof LockServiceUnavailableException && this.instance.closing;
		}
		return ex instanceof LockServiceUnavailableException && (this.instance.wasStruck(Long.MAX_VALUE / 4,
				Fault.REFUSAL)
				|| (this.instance.failsFast && this.instance.wasStruck(Long.MAX_VALUE / 4, Fault.BEFORE, Fault.AFTER)));
	}

	private void ended() {
		this.under = false;
		if (this.rounds > 0) {
			later("attempt", this::attempt, 1, 30, 1000);
		}
	}

	private void granted(LeaseGrant hold) {
		SimulatedHold granted = new SimulatedHold(this, hold, this.simulation.now());
		this.held = granted;
		this.under = false;
		this.simulation.checks.granted(granted);
		try {
			hold.onStateChange((state) -> told(granted, state));
		}
		catch (OutOfMemoryError ex) {
			// Of the listener.
		}
		for (int looks = this.simulation.random.nextInt(4); looks > 0; looks--) {
			later("look", () -> look(granted), 10, 3000);
		}
		if (this.simulation.chance(3)) {
			later("verification", () -> verify(granted), 10, 3000);
		}
		if (this.simulation.chance(5)) {
			later("keeping", () -> keep(granted), 2, 20, 500, 4000);
		}
		else {
			later("release", () -> release(granted), 2, 20, 500, 4000);
		}
	}

	/** End the hold, and let the lock stay taken for a time, which may end earlier. */
	private void keep(SimulatedHold granted) {
		if (this.held != granted) {
			return;
		}
		Duration rest = Duration.ofMillis(1 + this.simulation.random.nextInt(this.simulation.pick(50, 1000, 6000)));
		this.held = null;
		boolean left = this.simulation.chance(4);
		try {
			CompletableFuture<Boolean> answer = granted.hold.keep(rest);
			this.simulation.checks.keeping(granted, answer, TimeUnit.NANOSECONDS.convert(rest));
			answer.thenAccept((kept) -> {
				if (!kept || !left) {
					later("release", () -> end(granted), 2, 20, 500, 4000);
				}
			});
		}
		catch (Throwable ex) {
			this.simulation.checks.violated("keeping failed: " + this + " by " + ex);
		}
		if (!left && this.simulation.chance(2)) {
			later("release", () -> end(granted), 2, 20, 500, 4000);
		}
		ended();
	}

	private void told(SimulatedHold granted, LockState state) {
		this.simulation.checks.told(granted, state);
		if (state == LockState.LOST && this.simulation.chance(2)) {
			later("release", () -> release(granted), 10);
		}
		if (this.simulation.strikes(Fault.LISTENER, this.instance)) {
			throw LeaseSimulation.NO_MEMORY;
		}
	}

	private void look(SimulatedHold granted) {
		if (this.held == granted) {
			this.simulation.checks.look(granted);
		}
	}

	private void verify(SimulatedHold granted) {
		if (this.held != granted || this.simulation.isDeep()) {
			return;
		}
		try {
			granted.hold.verify();
			this.simulation.checks.verified(granted);
		}
		catch (LockLostException ex) {
			this.simulation.checks.lost(granted);
		}
		catch (LockServiceUnavailableException | OutOfMemoryError ex) {
			this.simulation.checks.notVerified(granted, ex);
		}
		catch (IllegalStateException ex) {
			if (this.held == granted) {
				this.simulation.checks.violated("not verified: " + this + " by " + ex);
			}
		}
	}

	private void release(SimulatedHold granted) {
		if (this.held != granted) {
			return;
		}
		this.held = null;
		end(granted);
		ended();
	}

	private void end(SimulatedHold granted) {
		if (granted.released) {
			return;
		}
		try {
			this.simulation.checks.released(granted, granted.hold.release());
		}
		catch (Throwable ex) {
			this.simulation.checks.violated("release failed: " + this + " by " + ex);
		}
	}

	@Override
	public String toString() {
		return "contender %d in instance %d (%s)".formatted(this.number, this.instance.number,
				(this.held != null) ? "holds" : (this.under ? "asks" : "rests"));
	}

}
