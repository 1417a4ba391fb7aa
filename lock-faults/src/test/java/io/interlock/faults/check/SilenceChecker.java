package io.interlock.faults.check;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * After the last fault every lock is granted again, soon: nobody is left waiting for a
 * holder that does not exist.
 */
public final class SilenceChecker implements Checker {

	private final long from;

	private final long to;

	private final Duration allowed;

	private final Set<String> sharedWithPeers;

	/**
	 * Create a checker.
	 * @param from when the last fault was over
	 * @param to when the workers were told to end
	 * @param allowed the longest time without a grant of a lock that is asked for
	 * @param sharedWithPeers locks that somebody else may keep for as long as he likes
	 */
	public SilenceChecker(long from, long to, Duration allowed, Set<String> sharedWithPeers) {
		this.from = from;
		this.to = to;
		this.allowed = allowed;
		this.sharedWithPeers = sharedWithPeers;
	}

	@Override
	public List<Violation> check(History history) {
		return longestByKey(history).entrySet()
			.stream()
			.filter((entry) -> entry.getValue() > this.allowed.toNanos()
					&& !this.sharedWithPeers.contains(entry.getKey()))
			.map((entry) -> new Violation("silence",
					"no grant of %s for %.1f s".formatted(entry.getKey(), entry.getValue() / 1e9)))
			.toList();
	}

	/**
	 * Return the longest silence of each lock.
	 * @param history what happened
	 * @return milliseconds by lock
	 */
	public Map<String, Long> longestMillis(History history) {
		Map<String, Long> millis = longestByKey(history);
		millis.replaceAll((key, nanos) -> TimeUnit.NANOSECONDS.toMillis(nanos));
		return millis;
	}

	private Map<String, Long> longestByKey(History history) {
		Map<String, Long> longest = new TreeMap<>();
		history.holdsByKey().forEach((key, holds) -> {
			long[] grants = holds.stream()
				.mapToLong(ObservedHold::grantedAt)
				.filter((at) -> at > this.from && at < this.to)
				.sorted()
				.toArray();
			long[] moments = Arrays.copyOf(grants, grants.length + 1);
			moments[grants.length] = this.to;
			long before = this.from;
			for (long moment : moments) {
				longest.merge(key, moment - before, Math::max);
				before = moment;
			}
		});
		return longest;
	}

}
