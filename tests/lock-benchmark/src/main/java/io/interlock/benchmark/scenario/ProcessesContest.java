package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;

/**
 * A contest for the most locks, and for fair shares of them.
 */
final class ProcessesContest extends FleetContest {

	private static final Duration MAX_TENURE = Duration.ofMillis(50);

	/** Fairness is promised over this time. */
	private static final double SECONDS_OF_FAIRNESS = 10;

	private final LoadPlan plan;

	/**
	 * Create a contest.
	 * @param name its name on the command line
	 * @param title its heading
	 * @param jvms how many JVMs
	 * @param plan what the threads of each JVM do
	 * @param contestants the contestants, in the order of their turns
	 * @param goals the ratios aimed at
	 */
	ProcessesContest(String name, String title, int jvms, LoadPlan plan, List<Contestant> contestants,
			Map<Contestant, Double> goals) {
		super(name, title, jvms, plan, contestants, goals);
		this.plan = plan;
	}

	@Override
	Pace pace(Contestant contestant, Site site) {
		Duration warmUp = Duration.ofMillis((long) Math.min(2000, site.seconds() * 500));
		boolean tenures = contestant == contestant.reference() && handsOver();
		double measured = tenures ? Math.min(SECONDS_OF_FAIRNESS, site.seconds() * 4) : site.seconds();
		return new Pace(warmUp, Duration.ofMillis((long) (measured * 1000)));
	}

	/**
	 * Whether the threads of one JVM hand locks to each other. If they do not,
	 * contestants are close to each other, and each is measured for the same time.
	 */
	private boolean handsOver() {
		return this.plan.threads() > 1;
	}

	@Override
	Map<String, Double> measure(Fleet fleet, Site site) {
		List<Tally> tallies = fleet.run();
		Tally all = tallies.stream().reduce(Tally.NOTHING, Tally::plus);
		Map<String, Double> readings = Readings.of(all, !this.plan.body().isZero());
		readings.put("longest aside, ms", Readings.millis(all.longestAside()));
		if (handsOver()) {
			readings.put("bound of it, ms",
					(tallies.size() - 1) * (MAX_TENURE.toMillis() + Readings.millis(all.longestBody())));
		}
		readings.put("Jain's index", Fairness.ofJain(tallies.stream().mapToLong(Tally::operations).toArray()));
		for (int i = 0; i < tallies.size(); i++) {
			readings.put("share of JVM %d, %%".formatted(i + 1),
					100.0 * tallies.get(i).operations() / all.operations());
		}
		return readings;
	}

}
