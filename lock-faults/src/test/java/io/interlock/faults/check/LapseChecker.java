package io.interlock.faults.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A lock may have two holders for a while after a server has ended leases before their
 * time. The fence tells them apart: the holder that goes on has the greater token. That
 * the other one is told in time is for the {@link ExclusionChecker}.
 */
public final class LapseChecker implements Checker {

	@Override
	public List<Violation> check(History history) {
		List<Violation> violations = new ArrayList<>();
		overlaps(history).stream()
			.filter((overlap) -> overlap.next().token() < overlap.lapsed().token()
					&& history.lapsedAt(overlap.next()) == Long.MAX_VALUE)
			.forEach((overlap) -> violations
				.add(new Violation("overlap not fenced", overlap.lapsed() + "; " + overlap.next())));
		return violations;
	}

	/**
	 * Count the overlaps that were told and fenced.
	 */
	static long count(History history) {
		return overlaps(history).stream()
			.filter((overlap) -> overlap.next().token() > overlap.lapsed().token())
			.count();
	}

	private static List<Overlap> overlaps(History history) {
		List<Overlap> overlaps = new ArrayList<>();
		for (Collection<ObservedHold> holds : history.holdsByKey().values()) {
			holds.stream()
				.filter((hold) -> hold.wasValid() && history.lapsedAt(hold) != Long.MAX_VALUE)
				.forEach((lapsed) -> holds.stream()
					.filter((hold) -> hold.wasValid() && overlap(lapsed, hold))
					.forEach((hold) -> overlaps.add(new Overlap(lapsed, hold))));
		}
		return overlaps;
	}

	private static boolean overlap(ObservedHold one, ObservedHold other) {
		return one.token() != other.token() && (one.isExclusive() || other.isExclusive())
				&& one.grantedAt() < other.lastValid() && other.grantedAt() < one.lastValid();
	}

	/**
	 * Two who held at the same time.
	 *
	 * @param lapsed whose lease had ended early
	 * @param next who held meanwhile
	 */
	private record Overlap(ObservedHold lapsed, ObservedHold next) {

	}

}
