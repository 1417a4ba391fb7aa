package io.interlock.faults.check;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A lock may have two holders for a while after a server has ended leases before their
 * time. The fence tells them apart: the holder that goes on has the greater token. That
 * the other one is told in time is for the {@link ExclusionChecker}.
 */
public final class LapseChecker implements Checker {

	@Override
	public List<Violation> check(History history) {
		return overlaps(history).filter((overlap) -> !overlap.isFenced() && history.lapseOf(overlap.next()).isEmpty())
			.map((overlap) -> new Violation("overlap not fenced", overlap.lapsed() + "; " + overlap.next()))
			.toList();
	}

	/**
	 * Count the overlaps that were told and fenced.
	 * @param history what happened
	 * @return how many, by the kind of fault that has ended a lease early
	 */
	public static Map<String, Long> fenced(History history) {
		return overlaps(history).filter(Overlap::isFenced)
			.collect(Collectors.groupingBy(Overlap::cause, TreeMap::new, Collectors.counting()));
	}

	/**
	 * Count those overlaps of which the earlier holder heard while it worked.
	 */
	static long heard(History history) {
		return overlaps(history).filter((overlap) -> overlap.isFenced() && overlap.lapsed().isLost()).count();
	}

	private static Stream<Overlap> overlaps(History history) {
		return history.holdsByKey()
			.values()
			.stream()
			.flatMap((holds) -> holds.stream()
				.filter(ObservedHold::wasValid)
				.flatMap((hold) -> history.lapseOf(hold)
					.stream()
					.flatMap((lapse) -> holds.stream()
						.filter((other) -> other.wasValid() && overlap(hold, other))
						.map((other) -> new Overlap(lapse.cause(), hold, other)))));
	}

	private static boolean overlap(ObservedHold one, ObservedHold other) {
		return one.token() != other.token() && (one.isExclusive() || other.isExclusive())
				&& one.grantedAt() < other.lastValid() && other.grantedAt() < one.lastValid();
	}

	/**
	 * Two who held at the same time.
	 *
	 * @param cause the kind of the fault
	 * @param lapsed whose lease had ended early
	 * @param next who held meanwhile
	 */
	private record Overlap(String cause, ObservedHold lapsed, ObservedHold next) {

		boolean isFenced() {
			return this.next.token() > this.lapsed.token();
		}

	}

}
