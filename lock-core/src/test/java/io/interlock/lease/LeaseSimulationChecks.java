package io.interlock.lease;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockState;
import io.interlock.lease.LeaseStore.Renewed;
import org.jspecify.annotations.Nullable;

/**
 * What must be true in a simulation, whatever happens.
 */
final class LeaseSimulationChecks {

	/** Time in which an instance that is well does what is due. */
	private static final long SOON = 200 * LeaseSimulation.MILLIS;

	private static final Field PARTS = field(LeaseLockProvider.class, "parts");

	private static final Field ATTEMPTS = field(LeaseLockProvider.class, "attempts");

	private static final Field RENEWAL = field(LeaseLockProvider.class, "renewal");

	/** What has to be empty when nothing is under way. */
	private static final Map<String, Field> BOOKS = Map.of("attempts", field(LeaseAttempts.class, "attempts"), "holds",
			field(LeaseRenewal.class, "holds"), "waiting", field(LeaseRenewal.class, "waiting"), "newest releases",
			field(LeaseReleases.class, "newest"), "pending releases", field(LeaseReleases.class, "pending"));

	private final LeaseSimulation simulation;

	private final List<SimulatedHold> grants = new ArrayList<>();

	private final List<SimulatedHold> active = new ArrayList<>(4);

	private final List<CompletableFuture<LockState>> releases = new ArrayList<>();

	private boolean changed;

	private @Nullable String violation;

	LeaseSimulationChecks(LeaseSimulation simulation) {
		this.simulation = simulation;
	}

	static Field field(Class<?> type, String name) {
		try {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (NoSuchFieldException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void violated(String what) {
		if (this.violation == null) {
			this.violation = what;
		}
	}

	@Nullable String violation() {
		return this.violation;
	}

	int grants() {
		return this.grants.size();
	}

	private @Nullable SimulatedHold find(LeaseContender contender) {
		for (SimulatedHold each : this.active) {
			if (each.hold.contender().equals(contender)) {
				return each;
			}
		}
		return null;
	}

	void granted(SimulatedHold granted) {
		this.simulation.tell(() -> "granted: " + granted);
		long token = granted.hold.fencingToken();
		boolean known = this.simulation.leases.token(granted.hold.contender()) == token;
		// The answer of a store that has forgotten the grant may come behind a later one.
		boolean ordered = known || !hasForgotten();
		for (SimulatedHold earlier : this.grants) {
			long before = earlier.hold.fencingToken();
			if (earlier.hold.request().id().equals(granted.hold.request().id())
					&& (earlier.excludes(granted) && ordered ? token <= before : token == before)) {
				violated("token does not grow: " + granted + " after " + earlier);
			}
		}
		if (granted.age() >= LeaseSimulation.LEASE_NANOS / 3) {
			violated("old grant: " + granted);
		}
		if (!known && !hasForgotten() && !granted.instance.closing) {
			violated("grant that the store does not know: " + granted);
		}
		this.grants.add(granted);
		this.active.add(granted);
		this.changed = true;
	}

	private boolean hasForgotten() {
		return this.simulation.now() - this.simulation.leases.failedOverAt <= 2 * LeaseSimulation.LEASE_NANOS;
	}

	/** Return the holds among contenders. */
	List<SimulatedHold> holds(Collection<LeaseContender> contenders) {
		List<SimulatedHold> holds = new ArrayList<>(contenders.size());
		for (LeaseContender contender : contenders) {
			SimulatedHold hold = find(contender);
			if (hold != null) {
				holds.add(hold);
			}
		}
		return holds;
	}

	void renewed(List<SimulatedHold> holds, Renewed answer, long sentAt) {
		for (SimulatedHold hold : holds) {
			if (answer.renewed().contains(hold.hold.contender())) {
				hold.doubted = false;
				hold.renewalSentAt = (sentAt - hold.renewalSentAt > 0) ? sentAt : hold.renewalSentAt;
			}
			else if (answer.unanswered().containsKey(hold.hold.contender())) {
				hold.doubted = true;
			}
			else if (!answer.passedOver().contains(hold.hold.contender())) {
				denied(hold.hold.contender());
			}
		}
		this.changed = true;
	}

	void notRenewed(List<SimulatedHold> holds) {
		holds.forEach((hold) -> hold.doubted = true);
	}

	void denied(LeaseContender contender) {
		SimulatedHold hold = find(contender);
		if (hold != null && !hold.keeping) {
			hold.deniedAt = Math.min(hold.deniedAt, this.simulation.now());
		}
	}

	/** The store has neither the holder nor the one that is to keep its lock. */
	void notKept(LeaseContender contender) {
		SimulatedHold hold = find(contender);
		if (hold != null) {
			hold.keeping = false;
			hold.deniedAt = Math.min(hold.deniedAt, this.simulation.now());
		}
	}

	/** The store keeps a lock no more, although its time is not over. */
	void gone(LeaseContender kept) {
		for (SimulatedHold hold : this.active) {
			if (hold.hold.contender().kept().equals(kept) && this.simulation.now() < hold.keptUntil) {
				hold.deniedAt = Math.min(hold.deniedAt, this.simulation.now());
			}
		}
	}

	/** A later holder tells that a lock is not kept any more for an exclusive hold. */
	void answered(SimulatedLeaseInstance instance, LockId lock, long token) {
		for (SimulatedHold hold : this.active) {
			if (hold.instance == instance && hold.keeping && hold.hold.request().mode() == LockMode.EXCLUSIVE
					&& hold.hold.request().id().equals(lock) && hold.hold.fencingToken() < token) {
				gone(hold.hold.contender().kept());
			}
		}
	}

	void keeping(SimulatedHold hold, CompletableFuture<Boolean> answer, long nanos) {
		hold.keeping = true;
		hold.endsLate = true;
		hold.keptUntil = this.simulation.now() + nanos / 100 * 97;
		answer.whenComplete((kept, failure) -> {
			this.simulation.tell(() -> "kept is " + kept + ": " + hold);
			if (failure != null) {
				violated("keeping failed: " + hold + " by " + failure);
			}
			else if (kept) {
				hold.kept = !hold.judged && !hold.toldLost;
				this.changed = true;
			}
			else {
				hold.keeping = false;
			}
		});
	}

	void told(SimulatedHold hold, LockState state) {
		this.simulation.tell(() -> "told " + state + ": " + hold);
		if (hold.toldLost) {
			violated("told after a loss: " + hold);
		}
		if (hold.released) {
			violated("told after the release: " + hold);
		}
		if (state == LockState.LOST) {
			hold.toldLost = true;
			lost(hold);
		}
	}

	/** A hold is said to be lost. */
	void lost(SimulatedHold hold) {
		if (!mayBeLost(hold)) {
			violated("false loss: " + hold);
		}
		else if (hold.deniedAt == SimulatedHold.NEVER && !hold.instance.closing && !hold.judged && isWell()) {
			violated("loss without a reason: " + hold);
		}
		hold.judged = true;
	}

	/** Return whether there was time for a renewal without a fault. */
	private boolean isWell() {
		for (SimulatedLeaseInstance instance : this.simulation.instances) {
			if (instance.wasStruckByAny(LeaseSimulation.LEASE_NANOS / 2)) {
				return false;
			}
		}
		return true;
	}

	private boolean mayBeLost(SimulatedHold hold) {
		return hold.mayBeOverAt(this.simulation.now()) || hold.deniedAt != SimulatedHold.NEVER || hold.instance.closing;
	}

	/** Compare the state of a hold with what is known of it. */
	void look(SimulatedHold hold) {
		LockState expected = LockState.VALID;
		if (hold.toldLost || mayBeLost(hold)) {
			expected = LockState.LOST;
		}
		else if (hold.doubted || hold.age() >= LeaseSimulation.LEASE_NANOS / 3 * 2) {
			expected = LockState.UNCONFIRMED;
		}
		LockState state = hold.hold.state();
		if (state != expected && !hold.instance.closing) {
			violated("state is %s, not %s: %s".formatted(state, expected, hold));
		}
	}

	void verified(SimulatedHold hold) {
		if (!hold.released && hold.deniedAt != SimulatedHold.NEVER) {
			violated("verified although the store said no: " + hold);
		}
	}

	void notVerified(SimulatedHold hold, Throwable failure) {
		if (!hold.instance.wasStruckByAny(2 * LeaseSimulation.LEASE_NANOS) && !hold.instance.closing
				&& !this.simulation.isNested()) {
			violated("not verified without a reason: " + hold + " by " + failure);
		}
	}

	void released(SimulatedHold hold, CompletableFuture<LockState> release) {
		hold.released = true;
		this.releases.add(release);
		release.whenComplete((state, failure) -> {
			this.simulation.tell(() -> "released is " + state + ": " + hold);
			this.active.remove(hold);
			if (failure != null) {
				violated("release failed: " + hold + " by " + failure);
			}
			else if (state == LockState.LOST) {
				lost(hold);
			}
		});
	}

	/** Called after each step. */
	void check() {
		for (int i = 0; i < this.active.size(); i++) {
			SimulatedHold hold = this.active.get(i);
			if (!hold.released && !hold.toldLost && !hold.keeping && !hold.instance.closing && isToBeTold(hold)) {
				violated("loss not told: " + hold);
			}
			if (hold.hold.confirmedAt() - hold.renewalSentAt > 0) {
				violated("lease counts from too late: " + hold);
			}
		}
		if (this.changed) {
			this.changed = false;
			checkExclusion();
		}
	}

	private boolean isToBeTold(SimulatedHold hold) {
		boolean late = hold.age() > LeaseSimulation.LEASE_NANOS
				|| (hold.deniedAt != SimulatedHold.NEVER && this.simulation.now() - hold.deniedAt > SOON);
		return late && hold.instance.wasWell(LeaseSimulation.LEASE_NANOS / 4);
	}

	private void checkExclusion() {
		for (int i = 0; i < this.active.size(); i++) {
			SimulatedHold hold = this.active.get(i);
			int permits = 1;
			for (int j = 0; j < i; j++) {
				SimulatedHold other = this.active.get(j);
				if (!hold.hold.request().id().equals(other.hold.request().id()) || !isHeld(hold) || !isHeld(other)) {
					continue;
				}
				permits++;
				if (hold.excludes(other) && !hasForgotten()) {
					violated("two holders: %s and %s".formatted(hold, other));
				}
			}
			if (hold.hold.request().mode() == LockMode.PERMIT && permits > 2 && !hasForgotten()) {
				violated("too many permits: " + hold);
			}
		}
	}

	/** An instance has stopped. */
	void stopped(SimulatedLeaseInstance instance) {
		for (SimulatedHold hold : this.active) {
			if (hold.instance == instance && !hold.released && !hold.keeping && hold.hold.state() != LockState.LOST) {
				violated("hold in an instance that has stopped: " + hold);
			}
		}
	}

	/** Whether a holder believes in its hold; asking makes no difference to it. */
	private boolean isHeld(SimulatedHold hold) {
		if (hold.keeping) {
			return !hold.released && !hold.toldLost && hold.kept && this.simulation.now() < hold.keptUntil;
		}
		return !hold.released && !hold.toldLost && !hold.isOld() && hold.hold.state() != LockState.LOST;
	}

	/** Nothing is under way, and the store has answered for a while. */
	void checkStore() {
		for (SimulatedLeaseInstance instance : this.simulation.instances) {
			if (instance.wasStruckByAny(LeaseSimulation.LEASE_NANOS / 10 * 6) || instance.closing || hasForgotten()) {
				return;
			}
		}
		List<LeaseContender> left = new ArrayList<>(this.simulation.leases.left());
		this.active.stream()
			.filter((hold) -> hold.endsLate)
			.map((hold) -> hold.hold.contender())
			.forEach((contender) -> left.removeAll(List.of(contender, contender.kept())));
		if (!left.isEmpty()) {
			violated("left in the store while it answers: " + left);
		}
	}

	boolean isNothingLeft() {
		if (!this.simulation.leases.left().isEmpty()) {
			return false;
		}
		for (CompletableFuture<LockState> release : this.releases) {
			if (!release.isDone()) {
				return false;
			}
		}
		for (SimulatedLeaseInstance instance : this.simulation.instances) {
			if (!instance.closing && instance.time.planned() != 1) {
				return false;
			}
			for (Collection<?> book : books(instance).values()) {
				if (!book.isEmpty()) {
					return false;
				}
			}
		}
		return true;
	}

	/** Nothing is under way, and all leases are over. */
	void checkEnd() {
		List<LeaseContender> left = this.simulation.leases.left();
		if (!left.isEmpty()) {
			violated("left in the store: " + left);
		}
		for (CompletableFuture<LockState> release : this.releases) {
			if (!release.isDone()) {
				violated("release has no end: " + this.active);
			}
		}
		for (SimulatedLeaseInstance instance : this.simulation.instances) {
			books(instance).forEach((book, content) -> {
				if (!content.isEmpty()) {
					violated("%s of instance %d not empty: %s".formatted(book, instance.number, content));
				}
			});
			if (!instance.closing && instance.time.planned() != 1) {
				violated("planned in instance %d: %d".formatted(instance.number, instance.time.planned()));
			}
		}
	}

	private static Map<String, Collection<?>> books(SimulatedLeaseInstance instance) {
		LeaseLockProvider provider = instance.provider;
		Map<String, Collection<?>> books = new LinkedHashMap<>();
		BOOKS.forEach((name, field) -> {
			Object book = get(field, owner(field, provider));
			books.put(name, (book instanceof Map<?, ?> map) ? map.values() : (Collection<?>) book);
		});
		return books;
	}

	private static Object owner(Field book, LeaseLockProvider provider) {
		if (book.getDeclaringClass() == LeaseRenewal.class) {
			return get(RENEWAL, provider);
		}
		return (book.getDeclaringClass() == LeaseReleases.class) ? ((LeaseParts) get(PARTS, provider)).releases()
				: get(ATTEMPTS, provider);
	}

	static Object get(Field field, Object owner) {
		try {
			return field.get(owner);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void checkCleaning() {
		long open = this.simulation.instances.stream().filter((instance) -> !instance.closing).count();
		if (this.simulation.leases.cleaned < open) {
			violated("cleaning has ended: " + this.simulation.leases.cleaned);
		}
	}

}
