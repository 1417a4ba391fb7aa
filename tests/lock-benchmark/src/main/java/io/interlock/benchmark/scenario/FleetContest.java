package io.interlock.benchmark.scenario;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;

/**
 * A contest of several JVMs for the same lock. The JVMs stay for all rounds, as those of
 * an application do: a young one spends more time on compiling than on locks.
 */
abstract class FleetContest extends Contest {

	private final int jvms;

	private final LoadPlan plan;

	private final Map<Contestant, Fleet> fleets = new EnumMap<>(Contestant.class);

	/**
	 * Create a contest.
	 * @param name its name on the command line
	 * @param title its heading
	 * @param jvms how many JVMs
	 * @param plan what the threads of each JVM do
	 * @param contestants the contestants, in the order of their turns
	 * @param goals the ratios aimed at
	 */
	FleetContest(String name, String title, int jvms, LoadPlan plan, List<Contestant> contestants,
			Map<Contestant, Double> goals) {
		super(name, title, contestants, goals);
		this.jvms = jvms;
		this.plan = plan;
	}

	@Override
	public final String run(Site site) throws Exception {
		try {
			return super.run(site);
		}
		finally {
			this.fleets.values().forEach(Fleet::close);
			this.fleets.clear();
		}
	}

	@Override
	final void prepare(List<Contestant> contestants, Site site) throws IOException {
		for (Contestant contestant : contestants) {
			Fleet fleet = Fleet.start(this.jvms, Jvm.WARM, contestant, this.plan, pace(contestant, site), site);
			this.fleets.put(contestant, fleet);
			prepare(fleet);
		}
	}

	@Override
	final Map<String, Double> measure(Contestant contestant, Site site) {
		return measure(Objects.requireNonNull(this.fleets.get(contestant)), site);
	}

	/**
	 * Return for how long a contestant is measured each time.
	 * @param contestant the contestant
	 * @param site where it is measured
	 * @return the pace
	 */
	abstract Pace pace(Contestant contestant, Site site);

	/**
	 * Do what is done with a fleet before its first round.
	 * @param fleet the fleet, ready
	 */
	void prepare(Fleet fleet) {
	}

	/**
	 * Measure one contestant once.
	 * @param fleet its JVMs
	 * @param site where to measure
	 * @return readings by title of their column, the one to compare by first
	 */
	abstract Map<String, Double> measure(Fleet fleet, Site site);

}
