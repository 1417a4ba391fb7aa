package io.interlock.benchmark.scenario;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.store.StoreServer;

/**
 * A scenario in which contestants take turns at one size after the other: how the cost of
 * one lock grows. It runs only if it is named.
 */
abstract class SizeScenario implements Scenario {

	private static final long FACTOR = 10;

	private final String name;

	private final String title;

	private final String size;

	private final List<Contestant> contestants;

	/**
	 * Create a scenario.
	 * @param name its name on the command line
	 * @param title its heading
	 * @param size what there is more and more of
	 * @param contestants the contestants, in the order of their turns
	 */
	SizeScenario(String name, String title, String size, List<Contestant> contestants) {
		this.name = name;
		this.title = title;
		this.size = size;
		this.contestants = contestants;
	}

	@Override
	public final String name() {
		return this.name;
	}

	@Override
	public final String title() {
		return this.title;
	}

	@Override
	public final boolean byDefault() {
		return false;
	}

	@Override
	public String run(Site site) throws Exception {
		Growth growth = new Growth(this.size);
		for (long size : sizes(site).toArray()) {
			for (int round = 1; round <= rounds(site); round++) {
				for (Contestant contestant : this.contestants) {
					if (site.has(contestant) && size <= largest(contestant)) {
						Map<String, Double> readings = measure(contestant, size, site);
						System.err.printf("%s, %d, round %d, %s: %s%n", this.name, size, round, contestant.title(),
								readings);
						growth.add(contestant, size, readings);
					}
				}
			}
		}
		return growth.toString();
	}

	/**
	 * Return the sizes, the smallest first.
	 * @param site where to measure
	 * @return the sizes
	 */
	abstract LongStream sizes(Site site);

	/**
	 * Return how often each contestant is measured at each size.
	 * @param site where to measure
	 * @return as often as elsewhere, by default
	 */
	int rounds(Site site) {
		return site.rounds();
	}

	/**
	 * Return the largest size that a contestant can be measured at.
	 * @param contestant the contestant
	 * @return the size; none by default
	 */
	long largest(Contestant contestant) {
		return Long.MAX_VALUE;
	}

	/**
	 * Measure one contestant once.
	 * @param contestant the contestant
	 * @param size the size
	 * @param site where to measure
	 * @return readings by title of their column; the first one is the cost of one lock
	 * @throws Exception if something went wrong
	 */
	abstract Map<String, Double> measure(Contestant contestant, long size, Site site) throws Exception;

	/**
	 * Wait until no entry is added any more.
	 * @param server the server
	 */
	static void awaitQueued(StoreServer server) {
		long before;
		long now = server.entries();
		do {
			before = now;
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
			now = server.entries();
		}
		while (now > before);
	}

	/**
	 * Return sizes each of which is ten times the one before.
	 * @param smallest the smallest size; less, if there is no second one otherwise
	 * @param largest the largest size
	 * @return the sizes
	 */
	static LongStream decades(long smallest, long largest) {
		long first = Math.max(1, Math.min(smallest, largest / FACTOR));
		return LongStream.concat(LongStream.iterate(first, (size) -> size < largest, (size) -> size * FACTOR),
				LongStream.of(largest));
	}

}
