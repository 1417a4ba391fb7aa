package io.interlock.faults.check;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The answer comes at the deadline, whatever the network does. Attempts during which the
 * process itself stood still are set aside; a few may still be late by more than is
 * allowed to nearly all, since the meter that notices stalls is a thread like any other,
 * but none by more than a second.
 */
public final class DeadlineChecker implements Checker {

	static final long ALLOWED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final double ALLOWED_MILLIS = ALLOWED_NANOS / 1e6;

	private static final double RARELY_ALLOWED_MILLIS = 150;

	private static final double EVER_ALLOWED_MILLIS = 1000;

	private static final int ONE_RARE_IN = 1000;

	/**
	 * So many are allowed to any run: one in a thousand is one or two in a short one, and
	 * chance decides on the next.
	 */
	private static final int FEW = 5;

	private static final int SHOWN = 10;

	@Override
	public List<Violation> check(History history) {
		Distribution errors = errors(history);
		if (errors.quantile(0.99) <= ALLOWED_MILLIS && errors.quantile(1) <= EVER_ALLOWED_MILLIS
				&& errors.above(RARELY_ALLOWED_MILLIS) <= Math.max(FEW, errors.size() / ONE_RARE_IN)) {
			return List.of();
		}
		return List.of(new Violation("deadline",
				"answers come too late, in ms: %s; the latest: %s".formatted(errors, latest(history))));
	}

	private static String latest(History history) {
		return counted(history).sorted(Comparator.comparing(ObservedAttempt::error).reversed())
			.limit(SHOWN)
			.map(ObservedAttempt::toString)
			.collect(Collectors.joining("; "));
	}

	private static Stream<ObservedAttempt> counted(History history) {
		return history.attempts()
			.stream()
			.filter((attempt) -> attempt.outcome() != Outcome.INTERRUPTED && !attempt.isSetAside());
	}

	/**
	 * Return by how much answers came too late.
	 * @param history what happened
	 * @return the errors in milliseconds, without the attempts that are set aside
	 */
	public static Distribution errors(History history) {
		return new Distribution(
				counted(history).mapToDouble((attempt) -> Math.max(0, attempt.error()) / 1e6).toArray());
	}

	/**
	 * Return the share of attempts that are set aside.
	 * @param history what happened
	 * @return between 0 and 1
	 */
	public static double shareSetAside(History history) {
		long setAside = history.attempts().stream().filter(ObservedAttempt::isSetAside).count();
		return (double) setAside / Math.max(1, history.attempts().size());
	}

}
