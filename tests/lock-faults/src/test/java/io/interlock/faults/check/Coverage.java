package io.interlock.faults.check;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a run came across. One in which something never happened proves nothing about it,
 * and is void.
 */
public final class Coverage implements Checker {

	/**
	 * Name of the counter of creates that were under way in a fault.
	 */
	public static final String CREATE_IN_FLIGHT = "fault with a create in flight";

	/**
	 * Name of the counter of deletes that were under way in a fault.
	 */
	public static final String DELETE_IN_FLIGHT = "fault with a delete in flight";

	/**
	 * Name of the counter of writes that the fence refused.
	 */
	public static final String STALE_WRITES = "stale write rejected";

	private final Set<String> kinds;

	private final boolean leases;

	private final boolean lapses;

	private Coverage(Set<String> kinds, boolean leases, boolean lapses) {
		this.kinds = kinds;
		this.leases = leases;
		this.lapses = lapses;
	}

	/**
	 * Create what a run on an ensemble has to come across.
	 * @return the coverage
	 */
	public static Coverage ofEnsemble() {
		return new Coverage(Set.of(), false, false);
	}

	/**
	 * Create what a run on a store of leases has to come across. Such a store is not
	 * looked into, so no place in a queue is seen.
	 * @param kinds the kinds of faults, each of which has to happen
	 * @param lapses whether some of them end leases before their time
	 * @return the coverage
	 */
	public static Coverage ofLeases(Set<String> kinds, boolean lapses) {
		return new Coverage(kinds, true, lapses);
	}

	/**
	 * Count.
	 * @param history what happened
	 * @return how often each thing happened
	 */
	public Map<String, Long> counters(History history) {
		NavigableSet<Long> faults = history.faults()
			.stream()
			.map(ObservedFault::begin)
			.collect(Collectors.toCollection(TreeSet::new));
		Map<String, Long> counters = new LinkedHashMap<>();
		counters.put("fault while holding",
				history.holds().stream().filter((hold) -> within(faults, hold.grantedAt(), hold.endedAt())).count());
		counters.put("fault while queued",
				history.holds().stream().filter((hold) -> within(faults, hold.askedAt(), hold.grantedAt())).count());
		counters.put("fault while handing over", handOvers(history, faults));
		counters.put(CREATE_IN_FLIGHT, history.counted(CREATE_IN_FLIGHT));
		counters.put(DELETE_IN_FLIGHT, history.counted(DELETE_IN_FLIGHT));
		counters.put("handed over in an instance", handedOver(history));
		counters.put("lost while held", history.holds().stream().filter(ObservedHold::isLost).count());
		if (this.lapses) {
			counters.put("overlap told and fenced",
					LapseChecker.fenced(history).values().stream().mapToLong(Long::longValue).sum());
			counters.put("overlap whose holder heard of its loss", LapseChecker.heard(history));
		}
		if (this.leases) {
			Stream.of(Outcome.ACQUIRED, Outcome.CONTENDED, Outcome.UNAVAILABLE)
				.forEach((outcome) -> counters.put("answer " + outcome,
						history.attempts().stream().filter((attempt) -> attempt.outcome() == outcome).count()));
		}
		else {
			counters.put("place kept", history.holds().stream().filter(history::keptItsPlace).count());
		}
		counters.put(STALE_WRITES, history.counted(STALE_WRITES));
		return counters;
	}

	/**
	 * Exclusive holders that share a token got it from thread to thread.
	 */
	private static long handedOver(History history) {
		List<Long> tokens = history.holds()
			.stream()
			.filter((hold) -> hold.isExclusive() && hold.token() != 0)
			.map(ObservedHold::token)
			.toList();
		return tokens.size() - tokens.stream().distinct().count();
	}

	private static boolean within(NavigableSet<Long> faults, long from, long to) {
		Long first = faults.higher(from);
		return first != null && first < to;
	}

	private static long handOvers(History history, NavigableSet<Long> faults) {
		long count = 0;
		for (List<ObservedHold> holds : history.holdsByKey().values()) {
			ObservedHold before = null;
			for (ObservedHold hold : holds.stream()
				.sorted(Comparator.comparingLong(ObservedHold::grantedAt))
				.toList()) {
				if (before != null && hold.askedAt() < before.endedAt() && before.endedAt() < hold.grantedAt()
						&& within(faults, before.endedAt(), hold.grantedAt())) {
					count++;
				}
				before = hold;
			}
		}
		return count;
	}

	@Override
	public List<Violation> check(History history) {
		Map<String, Long> counters = counters(history);
		this.kinds.forEach((kind) -> counters.put(kind,
				history.faults().stream().filter((fault) -> fault.kind().equals(kind)).count()));
		return counters.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() == 0)
			.map((entry) -> new Violation("coverage", "the run is void: no " + entry.getKey()))
			.toList();
	}

}
