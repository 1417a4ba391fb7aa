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
		return together(history).stream()
			.map((pair) -> new Violation("exclusion",
					"%.1f ms together: %s; %s".formatted(
							(history.provenUntil(pair.earlier()) - pair.later().grantedAt()) / 1e6, pair.earlier(),
							pair.later())))
			.toList();
	}

	/**
	 * Find holders who held at the same time and must not.
	 */
	static List<Together> together(History history) {
		List<Together> pairs = new ArrayList<>();
		history.holdsByKey().values().forEach((holds) -> find(holds, history, pairs));
		return pairs;
	}

	private static void find(List<ObservedHold> ofOneKey, History history, List<Together> pairs) {
		List<ObservedHold> holds = ofOneKey.stream()
			.filter((hold) -> hold.wasValid() && !history.endedBeforeItWasTold(hold))
			.sorted(Comparator.comparingLong(ObservedHold::grantedAt))
			.toList();
		ObservedHold longest = null;
		ObservedHold longestExclusive = null;
		for (ObservedHold hold : holds) {
			ObservedHold earlier = hold.isExclusive() ? longest : longestExclusive;
			if (earlier != null && history.provenUntil(earlier) > hold.grantedAt()) {
				pairs.add(new Together(earlier, hold));
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

	/**
	 * Two who held at the same time.
	 *
	 * @param earlier who was granted the lock first
	 * @param later who was granted it while the other still had it
	 */
	record Together(ObservedHold earlier, ObservedHold later) {

	}

}
