package io.interlock.benchmark.scenario;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;
import io.interlock.benchmark.store.StoreServer;

/**
 * More and more instances, each a JVM with one thread, that want the same lock. The JVMs
 * stay when others join them.
 */
final class InstancesScenario extends SizeScenario {

	private static final long[] INSTANCES = { 2, 10, 25, 50 };

	/** So many turns of each JVM do not count. */
	private static final long TURNS_BEFORE = 20;

	private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(20);

	private final Map<Contestant, Fleet> fleets = new EnumMap<>(Contestant.class);

	InstancesScenario() {
		super("size-instances", "One lock, JVMs with 1 thread each, empty body", "JVMs",
				List.of(Contestant.INTERLOCK, Contestant.CURATOR_PER_CALL));
	}

	@Override
	LongStream sizes(Site site) {
		return LongStream.of(INSTANCES).filter((instances) -> instances <= site.limit(Long.MAX_VALUE));
	}

	@Override
	public String run(Site site) throws Exception {
		try {
			return super.run(site);
		}
		finally {
			this.fleets.values().forEach(Fleet::close);
			this.fleets.clear();
		}
	}

	@Override
	Map<String, Double> measure(Contestant contestant, long instances, Site site) throws IOException {
		Fleet fleet = fleet(contestant, site);
		if (fleet.grow((int) instances)) {
			warmUp(fleet);
		}
		StoreServer server = site.server(contestant);
		long before = server.requests();
		List<Tally> tallies = fleet.run();
		long requests = server.requests() - before;
		Tally all = tallies.stream().reduce(Tally.NOTHING, Tally::plus).orFail();
		Map<String, Double> readings = new LinkedHashMap<>();
		readings.put("microseconds a turn", 1_000_000 / all.rate());
		readings.put("turns/s", all.rate());
		readings.put("requests a turn", requests / (double) all.exclusiveHolders());
		readings.put("longest wait, ms", Readings.millis(all.longestWait()));
		readings.put("Jain's index", Fairness.ofJain(tallies.stream().mapToLong(Tally::operations).toArray()));
		return readings;
	}

	/** The first turns of a young JVM load classes, and all others wait for it. */
	private static void warmUp(Fleet fleet) {
		long startedAt = System.nanoTime();
		long turns = 0;
		while (turns < TURNS_BEFORE && System.nanoTime() - startedAt < LONGEST_WARM_UP.toNanos()) {
			turns += fleet.run().stream().mapToLong(Tally::exclusiveHolders).min().orElseThrow();
		}
	}

	private Fleet fleet(Contestant contestant, Site site) throws IOException {
		Fleet fleet = this.fleets.get(contestant);
		if (fleet == null) {
			Pace pace = new Pace(Duration.ofMillis((long) (site.seconds() * 500)),
					Duration.ofMillis((long) (site.seconds() * 1000)));
			fleet = Fleet.start(0, Jvm.SMALL, contestant, LoadPlan.hot(1, Duration.ZERO), pace, site);
			this.fleets.put(contestant, fleet);
		}
		return fleet;
	}

}
