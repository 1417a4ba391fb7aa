package io.interlock.faults.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * Every lock is granted again and again while the servers serve: no waiter is left behind
 * a holder that does not exist. Under faults a holder and the next one in its queue may
 * fail one after the other, each for a whole session, so there the queue is judged too:
 * its first node may not stay as long.
 */
public final class SilenceChecker implements Checker {

	private final long from;

	private final long to;

	private final Duration allowed;

	private final Set<String> keys;

	private final boolean queues;

	private SilenceChecker(long from, long to, Duration allowed, Set<String> keys, boolean queues) {
		this.from = from;
		this.to = to;
		this.allowed = allowed;
		this.keys = keys;
		this.queues = queues;
	}

	/**
	 * Create a checker.
	 * @param from begin of the time that is judged
	 * @param to its end
	 * @param allowed the longest time without a grant of a lock that is asked for, not
	 * counting when the servers do not serve
	 * @param keys the locks that are judged, also those that are never granted
	 * @return the checker
	 */
	public static SilenceChecker ofGrants(long from, long to, Duration allowed, Set<String> keys) {
		return new SilenceChecker(from, to, allowed, keys, false);
	}

	/**
	 * Create a checker that accepts another node in first place of a queue for a grant.
	 * @param from begin of the time that is judged
	 * @param to its end
	 * @param allowed the longest time with the same first node and without a grant, not
	 * counting when the servers do not serve
	 * @param keys the locks that are judged
	 * @return the checker
	 */
	public static SilenceChecker ofQueues(long from, long to, Duration allowed, Set<String> keys) {
		return new SilenceChecker(from, to, allowed, keys, true);
	}

	@Override
	public List<Violation> check(History history) {
		return longestByKey(history).entrySet()
			.stream()
			.filter((entry) -> entry.getValue().nanos() > this.allowed.toNanos())
			.map((entry) -> new Violation(this.queues ? "standstill" : "silence",
					"no grant of %s%s for %s%s".formatted(entry.getKey(),
							this.queues ? " and no other node in first place" : "", entry.getValue(),
							seen(history, entry.getKey(), entry.getValue()))))
			.toList();
	}

	private static String seen(History history, String key, Silence silence) {
		return history.stillLocks(key, silence.from(), silence.to())
			.map((lock) -> "; " + lock)
			.findFirst()
			.orElse("; nothing was seen of its queue");
	}

	/**
	 * Return the locks that stand still at the end of the time that is judged, have done
	 * so for longer than is allowed, and were not looked at meanwhile.
	 * @param history what happened
	 * @return the locks
	 */
	public Set<String> unseen(History history) {
		Set<String> unseen = new TreeSet<>();
		silencesByKey(history).forEach((key, silences) -> {
			Silence last = silences.get(silences.size() - 1);
			if (last.nanos() > this.allowed.toNanos()
					&& history.stillLocks(key, last.from(), last.to()).findFirst().isEmpty()) {
				unseen.add(key);
			}
		});
		return unseen;
	}

	/**
	 * Return the longest silence of each lock.
	 * @param history what happened
	 * @return milliseconds by lock
	 */
	public Map<String, Long> longestMillis(History history) {
		Map<String, Long> millis = new TreeMap<>();
		longestByKey(history)
			.forEach((key, silence) -> millis.put(key, TimeUnit.NANOSECONDS.toMillis(silence.nanos())));
		return millis;
	}

	private Map<String, Silence> longestByKey(History history) {
		Map<String, Silence> longest = new TreeMap<>();
		silencesByKey(history).forEach((key, silences) -> longest.put(key,
				Collections.max(silences, Comparator.comparingLong(Silence::nanos))));
		return longest;
	}

	private Map<String, List<Silence>> silencesByKey(History history) {
		Map<String, List<Silence>> silences = new TreeMap<>();
		Map<String, List<ObservedHold>> byKey = history.holdsByKey();
		this.keys.forEach((key) -> {
			LongStream progress = byKey.getOrDefault(key, List.of()).stream().mapToLong(ObservedHold::grantedAt);
			if (this.queues) {
				progress = LongStream.concat(progress, history.moves(key).stream().mapToLong(Long::longValue));
			}
			long[] grants = progress.filter((at) -> at > this.from && at < this.to).sorted().toArray();
			long[] moments = Arrays.copyOf(grants, grants.length + 1);
			moments[grants.length] = this.to;
			long before = this.from;
			List<Silence> ofKey = new ArrayList<>();
			for (long moment : moments) {
				ofKey.add(new Silence(before, moment, history.servedNanos(before, moment)));
				before = moment;
			}
			silences.put(key, ofKey);
		});
		return silences;
	}

	/**
	 * A time without progress.
	 *
	 * @param from its begin
	 * @param to its end
	 * @param nanos for how much of it the servers served
	 */
	private record Silence(long from, long to, long nanos) {

		@Override
		public String toString() {
			return "%.1f s in which the servers served, from %d to %d".formatted(this.nanos / 1e9, this.from, this.to);
		}

	}

}
