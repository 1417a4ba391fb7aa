package io.interlock.faults.check;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Callers of one instance get a lock in the order in which they came. The order of
 * instances is that of their tokens, so no caller is overtaken without end: a long wait
 * is one for servers that do not serve, for holders that fail, or at a new place after
 * the session has ended. A caller whose grant was in doubt when it woke up comes first
 * again, and a few may have passed it.
 */
public final class ArrivalChecker implements Checker {

	/** Between the call and its place in the queue. */
	private static final long ARRIVAL_NANOS = Duration.ofSeconds(1).toNanos();

	private static final int FEW = 5;

	private final Set<String> workers;

	/**
	 * Create a checker.
	 * @param workers whose callers queue among themselves
	 */
	public ArrivalChecker(Set<String> workers) {
		this.workers = workers;
	}

	@Override
	public List<Violation> check(History history) {
		return history.holds()
			.stream()
			.filter((hold) -> this.workers.contains(hold.worker()))
			.collect(Collectors.groupingBy((hold) -> hold.instance() + " " + hold.key()))
			.values()
			.stream()
			.flatMap((holds) -> holds.stream().filter((hold) -> overtakers(hold, holds) > FEW))
			.map((hold) -> new Violation("arrival",
					"overtaken in its instance more than %d times in %.1f s: %s".formatted(FEW,
							(hold.grantedAt() - hold.askedAt()) / 1e9, hold)))
			.toList();
	}

	private static long overtakers(ObservedHold hold, Collection<ObservedHold> holds) {
		long arrived = hold.askedAt() + ARRIVAL_NANOS;
		return (arrived < hold.grantedAt())
				? holds.stream().filter((other) -> other.askedAt() > arrived && isBefore(other, hold)).count() : 0;
	}

	/** Readers that share one grant wake up in any order. */
	private static boolean isBefore(ObservedHold one, ObservedHold other) {
		return one.grantedAt() < other.grantedAt()
				&& (one.token() != other.token() || one.isExclusive() || other.isExclusive());
	}

}
