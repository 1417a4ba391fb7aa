package io.interlock.benchmark.scenario;

import java.util.List;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;

/**
 * A scenario in which contestants take turns, round after round.
 */
abstract class Contest implements Scenario {

	private final String name;

	private final String title;

	private final List<Contestant> contestants;

	private final Map<Contestant, Double> goals;

	Contest(String name, String title, List<Contestant> contestants, Map<Contestant, Double> goals) {
		this.name = name;
		this.title = title;
		this.contestants = contestants;
		this.goals = goals;
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
	public final String run(Site site) throws Exception {
		Rounds rounds = new Rounds();
		for (int round = 1; round <= site.rounds(); round++) {
			for (Contestant contestant : this.contestants) {
				Map<String, Double> readings = measure(contestant, site);
				System.err.printf("%s, round %d, %s: %s%n", this.name, round, contestant.title(), readings);
				rounds.add(contestant, readings);
			}
		}
		return rounds.table(this.goals).toString();
	}

	/**
	 * Measure one contestant once.
	 * @param contestant who
	 * @param site where
	 * @return what came out, by title of the column; the first is what they are compared
	 * by
	 * @throws Exception if something went wrong
	 */
	abstract Map<String, Double> measure(Contestant contestant, Site site) throws Exception;

}
