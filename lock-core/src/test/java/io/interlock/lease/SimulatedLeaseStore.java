package io.interlock.lease;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.interlock.LockId;
import io.interlock.lease.LeaseSimulation.Fault;
import io.interlock.provider.LockCapabilities;
import org.jspecify.annotations.Nullable;

/**
 * The store of a simulation as one instance reaches it: late, or not at all.
 */
final class SimulatedLeaseStore implements LeaseStore {

	private static final LeaseStoreException NOT_REACHED = LeaseStoreException.passing("the store is not reached",
			null);

	private static final LeaseStoreException REFUSED = LeaseStoreException.lasting("the store refuses", null);

	private static final LeaseStoreException ANSWER_LOST = LeaseStoreException.passing("the answer was lost", null);

	private final LeaseSimulation simulation;

	private final SimulatedLeaseInstance instance;

	private @Nullable Consumer<LockId> freed;

	SimulatedLeaseStore(LeaseSimulation simulation, SimulatedLeaseInstance instance) {
		this.simulation = simulation;
		this.instance = instance;
	}

	@Override
	public LockCapabilities capabilities() {
		return LockCapabilities.ALL;
	}

	@Override
	public LeaseAnswer acquire(LeaseContender contender, Duration lease, boolean waits) {
		LeaseAnswer answer = call("acquire", contender, () -> this.simulation.leases.acquire(contender, waits));
		this.simulation.checks.answered(this.instance, contender.lock(), answer.token());
		return answer;
	}

	@Override
	public CompletionStage<LeaseAnswer> acquire(LeaseContender contender, Duration lease, boolean waits,
			Executor threads) {
		return send(() -> acquire(contender, lease, waits), threads);
	}

	@Override
	public CompletionStage<LeaseAnswer> acquireInTurn(LeaseContender contender, Duration lease, Executor threads) {
		return acquire(contender, lease, true, threads);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseContender contender, Executor threads) {
		return send(() -> release(contender), threads);
	}

	@Override
	public CompletionStage<Boolean> isHeld(LeaseContender contender, Executor threads) {
		return send(() -> isHeld(contender), threads);
	}

	/** Send a request, in some schedules as a client does that needs no thread. */
	private <T> CompletionStage<T> send(Supplier<T> request, Executor threads) {
		if (!this.simulation.asynchronous) {
			return CompletableFuture.supplyAsync(request, threads);
		}
		failWithoutMemory();
		if (this.simulation.strikes(Fault.BEFORE, this.instance)) {
			return CompletableFuture.failedFuture(NOT_REACHED);
		}
		CompletableFuture<T> answer = new CompletableFuture<>();
		long delay = this.simulation.random.nextLong(5 * LeaseSimulation.MILLIS);
		this.simulation.at(this.simulation.now() + delay, this.instance, "client", () -> {
			try {
				answer.complete(request.get());
			}
			catch (Throwable ex) {
				answer.completeExceptionally(ex);
			}
		});
		return answer;
	}

	@Override
	public Renewed renew(Collection<LeaseContender> contenders, Duration lease) {
		List<SimulatedHold> holds = this.simulation.checks.holds(contenders);
		long sentAt = this.instance.time.nanoTime();
		try {
			Renewed answer = answer(call("renew", contenders, () -> renew(contenders)));
			this.simulation.checks.renewed(holds, answer, sentAt);
			return answer;
		}
		catch (Throwable ex) {
			this.simulation.checks.notRenewed(holds);
			throw ex;
		}
	}

	/** A part that does not answer may have done what was asked for. */
	private Map<LeaseContender, Renewal> renew(Collection<LeaseContender> contenders) {
		boolean inPart = this.simulation.strikes(Fault.PART, this.instance);
		Map<LeaseContender, Renewal> renewals = new LinkedHashMap<>();
		for (LeaseContender contender : contenders) {
			boolean away = inPart && !this.simulation.chance(2);
			if (!away && this.simulation.leases.isHeld(contender)
					&& this.simulation.strikes(Fault.PASSED_OVER, this.instance)) {
				renewals.put(contender, Renewal.PASSED_OVER);
				continue;
			}
			boolean renewed = (!away || this.simulation.chance(2)) && this.simulation.leases.renew(contender);
			renewals.put(contender, away ? Renewal.UNANSWERED : (renewed ? Renewal.RENEWED : Renewal.DENIED));
		}
		return renewals;
	}

	private static Renewed answer(Map<LeaseContender, Renewal> renewals) {
		Set<LeaseContender> renewed = new HashSet<>();
		Set<LeaseContender> passedOver = new HashSet<>();
		Map<LeaseContender, LeaseStoreException> unanswered = new HashMap<>();
		renewals.forEach((contender, renewal) -> {
			if (renewal == Renewal.RENEWED) {
				renewed.add(contender);
			}
			else if (renewal == Renewal.PASSED_OVER) {
				passedOver.add(contender);
			}
			else if (renewal == Renewal.UNANSWERED) {
				unanswered.put(contender, NOT_REACHED);
			}
		});
		return new Renewed(renewed, passedOver, unanswered);
	}

	/** Renew a hold when its turn has come, however often others lock its row. */
	@Override
	public Renewed renewAlone(LeaseContender contender, Duration lease) {
		List<SimulatedHold> holds = this.simulation.checks.holds(List.of(contender));
		long sentAt = this.instance.time.nanoTime();
		if (!this.simulation.isDeep()) {
			this.simulation.pass(this.simulation.random.nextLong(LeaseSimulation.LEASE_NANOS / 12), () -> false);
		}
		Renewed answer = call("renew alone", contender,
				() -> Renewed.of(this.simulation.leases.renew(contender) ? Set.of(contender) : Set.of()));
		this.simulation.checks.renewed(holds, answer, sentAt);
		return answer;
	}

	@Override
	public boolean keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		boolean taken = call("keep", contender,
				() -> this.simulation.leases.keep(contender, kept, TimeUnit.NANOSECONDS.convert(rest)));
		if (!taken) {
			this.simulation.checks.notKept(contender);
		}
		return taken;
	}

	@Override
	public CompletionStage<Boolean> keep(LeaseContender contender, LeaseContender kept, Duration rest,
			Executor threads) {
		return send(() -> keep(contender, kept, rest), threads);
	}

	@Override
	public boolean release(LeaseContender contender) {
		return judged(contender, call("release", contender, () -> this.simulation.leases.release(contender)));
	}

	/** In some schedules, though requests may overtake each other. */
	@Override
	public boolean keepsOrder() {
		return this.simulation.asynchronous;
	}

	@Override
	public boolean isHeld(LeaseContender contender) {
		return judged(contender, call("isHeld", contender, () -> this.simulation.leases.isHeld(contender)));
	}

	@Override
	public Set<LeaseContender> held(Collection<LeaseContender> contenders) {
		Set<LeaseContender> held = call("held", contenders,
				() -> contenders.stream().filter(this.simulation.leases::isHeld).collect(Collectors.toSet()));
		contenders.stream().filter((contender) -> !held.contains(contender)).forEach(this.simulation.checks::gone);
		return held;
	}

	private boolean judged(LeaseContender contender, boolean held) {
		if (!held) {
			this.simulation.checks.denied(contender);
		}
		return held;
	}

	@Override
	public void listen(Consumer<LockId> freed) {
		this.freed = freed;
	}

	/** Tell the instance that a lock may be free. */
	void tell(LockId id) {
		if (this.freed != null) {
			this.freed.accept(id);
		}
	}

	@Override
	public boolean clean() {
		this.simulation.leases.cleaned++;
		return call("clean", "", () -> false);
	}

	private <T> T call(String what, Object about, Supplier<T> request) {
		travel();
		if (this.simulation.strikes(Fault.BEFORE, this.instance)) {
			throw NOT_REACHED;
		}
		if (this.simulation.strikes(Fault.REFUSAL, this.instance)) {
			throw REFUSED;
		}
		failWithoutMemory();
		T answer = request.get();
		this.simulation.tell(() -> "instance %d: %s %s is %s".formatted(this.instance.number, what, about, answer));
		travel();
		if (this.simulation.strikes(Fault.AFTER, this.instance)) {
			throw ANSWER_LOST;
		}
		failWithoutMemory();
		return answer;
	}

	private void failWithoutMemory() {
		if (this.simulation.strikes(Fault.NO_MEMORY, this.instance)) {
			throw LeaseSimulation.NO_MEMORY;
		}
	}

	/** Let others go on while a request, or an answer, is on its way. */
	private void travel() {
		if (this.simulation.isDeep()) {
			return;
		}
		if (this.simulation.strikes(Fault.LATE, this.instance)) {
			this.instance.late++;
			this.simulation.pass(this.simulation.random.nextLong(2 * LeaseSimulation.LEASE_NANOS), () -> false);
			this.instance.late--;
			this.instance.struck(Fault.LATE);
		}
		else if (!this.simulation.chance(3)) {
			this.simulation.pass(this.simulation.random.nextLong(4 * LeaseSimulation.MILLIS), () -> false);
		}
		while (this.instance.pausedUntil > this.simulation.now()) {
			this.simulation.pass(this.instance.pausedUntil - this.simulation.now(), () -> false);
		}
	}

	private enum Renewal {

		RENEWED, DENIED, PASSED_OVER, UNANSWERED

	}

}
