package io.interlock.benchmark.scenario;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;
import io.interlock.benchmark.scenario.ClientProcess.FirstCalls;

/**
 * A contest in the first seconds after a deployment. Each measurement has new JVMs, which
 * have locked nothing before.
 */
final class ColdContest extends Contest {

	private static final int FIRST_CALLS = 1000;

	/** The first two seconds are counted for themselves. */
	private static final Pace PACE = new Pace(Duration.ofSeconds(2), Duration.ofSeconds(3));

	private static final List<Contestant> CONTESTANTS = List.of(Contestant.INTERLOCK, Contestant.CURATOR_SHARED,
			Contestant.CURATOR_PER_CALL);

	private final Jvm jvm;

	private ColdContest(String name, String title, Map<Contestant, Double> goals, Jvm jvm) {
		super(name, title, CONTESTANTS, goals);
		this.jvm = jvm;
	}

	/** JVMs as users have them. */
	static ColdContest usual() {
		return new ColdContest("cold", "Fresh JVMs: one on a free lock, two on one lock, 1 thread each", Map.of(),
				Jvm.COLD);
	}

	/** JVMs that compile with C1 only. */
	static ColdContest firstCompiler() {
		return new ColdContest("cold-c1", "Two fresh JVMs on one lock, 1 thread each, C1 only",
				Map.of(Contestant.CURATOR_SHARED, 1.0, Contestant.CURATOR_PER_CALL, 1.0), Jvm.COLD_C1);
	}

	@Override
	public boolean byDefault() {
		return this.jvm == Jvm.COLD;
	}

	/** Measure once without counting, because the server is not to be cold. */
	@Override
	void prepare(List<Contestant> contestants, Site site) throws IOException {
		for (Contestant contestant : contestants) {
			measure(contestant, site);
		}
	}

	@Override
	Map<String, Double> measure(Contestant contestant, Site site) throws IOException {
		Map<String, Double> readings = new LinkedHashMap<>();
		if (this.jvm == Jvm.COLD) {
			readings.putAll(alone(contestant, site));
		}
		readings.putAll(turns(contestant, site));
		return readings;
	}

	private static Map<String, Double> alone(Contestant contestant, Site site) {
		try (ClientProcess client = new ClientProcess(contestant, site.address(contestant, 1), site)) {
			client.beginFirstCalls(FIRST_CALLS);
			FirstCalls calls = client.awaitFirstCalls();
			Map<String, Double> readings = new LinkedHashMap<>();
			readings.put("one JVM: first lock, ms", Readings.millis(calls.toFirstLock()));
			readings.put("one JVM: first 1,000 locks, locks/s", FIRST_CALLS / Readings.seconds(calls.elapsed()));
			return readings;
		}
	}

	private Map<String, Double> turns(Contestant contestant, Site site) throws IOException {
		try (Fleet fleet = Fleet.start(2, this.jvm, contestant, LoadPlan.hot(1, Duration.ZERO), PACE, site)) {
			Tally all = fleet.run().stream().reduce(Tally.NOTHING, Tally::plus).orFail();
			Map<String, Double> readings = new LinkedHashMap<>();
			readings.put("two JVMs: turns/s, 0 to 2 s", all.before() / (double) PACE.warmUp().toSeconds());
			readings.put("two JVMs: turns/s, 2 to 5 s", all.rate());
			return readings;
		}
	}

	@Override
	String report(Rounds rounds, Map<Contestant, Double> goals) {
		return rounds.tables(goals);
	}

}
