package io.interlock.faults.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Tokens rise: from holder to holder in the order in which they surely held the lock,
 * from whoever had been granted the lock to whoever asked afterwards, and no two
 * instances ever share one. Only pairs that exclude each other are compared. A hold that
 * an operator had ended before it was told is not compared: an instance that cannot hear
 * of that hands the grant on among its threads.
 */
public final class TokenOrderChecker implements Checker {

	@Override
	public List<Violation> check(History history) {
		List<Violation> violations = new ArrayList<>();
		history.holdsByKey().values().forEach((holds) -> {
			List<ObservedHold> fenced = holds.stream().filter((hold) -> hold.token() != 0).toList();
			checkGrants(fenced, history, violations);
			checkAsked(fenced, history, violations);
			checkOwners(fenced, violations);
		});
		return violations;
	}

	private static void checkGrants(List<ObservedHold> holds, History history, List<Violation> violations) {
		Highest highest = new Highest();
		holds.stream()
			.filter((hold) -> hold.wasValid() && !history.endedBeforeItWasTold(hold))
			.sorted(Comparator.comparingLong(ObservedHold::grantedAt))
			.forEach((hold) -> {
				highest.compare(hold, violations);
				highest.add(hold);
			});
	}

	private static void checkAsked(List<ObservedHold> holds, History history, List<Violation> violations) {
		List<ObservedHold> granted = holds.stream().sorted(Comparator.comparingLong(ObservedHold::grantedAt)).toList();
		List<ObservedHold> asked = holds.stream().sorted(Comparator.comparingLong(ObservedHold::askedAt)).toList();
		Highest highest = new Highest();
		int next = 0;
		for (ObservedHold hold : asked) {
			while (granted.get(next).grantedAt() < hold.askedAt()) {
				highest.add(granted.get(next++));
			}
			if (!history.endedBeforeItWasTold(hold)) {
				highest.compare(hold, violations);
			}
		}
	}

	private static void checkOwners(List<ObservedHold> holds, List<Violation> violations) {
		Map<Long, ObservedHold> owners = new HashMap<>();
		for (ObservedHold hold : holds) {
			ObservedHold other = owners.putIfAbsent(hold.token(), hold);
			if (other != null && !other.instance().equals(hold.instance())) {
				violations.add(new Violation("token shared", other + "; " + hold));
			}
		}
	}

	/**
	 * The highest tokens so far.
	 */
	private static final class Highest {

		private @Nullable ObservedHold any;

		private @Nullable ObservedHold exclusive;

		void add(ObservedHold hold) {
			this.any = higher(this.any, hold);
			if (hold.isExclusive()) {
				this.exclusive = higher(this.exclusive, hold);
			}
		}

		void compare(ObservedHold hold, List<Violation> violations) {
			ObservedHold earlier = hold.isExclusive() ? this.any : this.exclusive;
			if (earlier != null && earlier.token() > hold.token()) {
				violations.add(new Violation("token order", earlier + "; then " + hold));
			}
		}

		private static ObservedHold higher(@Nullable ObservedHold left, ObservedHold right) {
			return (left == null || left.token() < right.token()) ? right : left;
		}

	}

}
