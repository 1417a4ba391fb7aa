package io.interlock.faults.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * No two holders at a time, unless both share. A holder is judged from its grant to the
 * last moment at which it was told, truly as it must be, that it holds the lock: what it
 * did after that, stopped or cut off, is for the fence.
 */
public final class ExclusionChecker implements Checker {

	@Override
	public List<Violation> check(History history) {
		List<Violation> violations = new ArrayList<>();
		history.holdsByKey().values().forEach((holds) -> check(holds, history, violations));
		return violations;
	}

	private static void check(List<ObservedHold> ofOneKey, History history, List<Violation> violations) {
		List<ObservedHold> holds = ofOneKey.stream()
			.filter(ObservedHold::wasValid)
			.sorted(Comparator.comparingLong(ObservedHold::grantedAt))
			.toList();
		ObservedHold longest = null;
		ObservedHold longestExclusive = null;
		for (ObservedHold hold : holds) {
			ObservedHold earlier = hold.isExclusive() ? longest : longestExclusive;
			if (earlier != null && history.provenUntil(earlier) > hold.grantedAt()) {
				violations.add(new Violation("exclusion", "%.1f ms together: %s; %s"
					.formatted((history.provenUntil(earlier) - hold.grantedAt()) / 1e6, earlier, hold)));
			}
			longest = later(longest, hold, history);
			if (hold.isExclusive()) {
				longestExclusive = later(longestExclusive, hold, history);
			}
		}
	}

	private static ObservedHold later(@Nullable ObservedHold left, ObservedHold right, History history) {
		return (left == null || history.provenUntil(left) < history.provenUntil(right)) ? right : left;
	}

}
