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
	public String run(Site site) throws Exception {
		List<Contestant> contestants = this.contestants.stream().filter(site::has).toList();
		prepare(contestants, site);
		Rounds rounds = new Rounds();
		for (int round = 1; round <= site.rounds(); round++) {
			for (Contestant contestant : contestants) {
				Map<String, Double> readings = measure(contestant, site);
				System.err.printf("%s, round %d, %s: %s%n", this.name, round, contestant.title(), readings);
				rounds.add(contestant, readings);
			}
		}
		return report(rounds, this.goals);
	}

	/**
	 * Write down what came out.
	 * @param rounds what was measured
	 * @param goals the ratios aimed at
	 * @return one table, in which contestants are compared by the first reading
	 */
	String report(Rounds rounds, Map<Contestant, Double> goals) {
		return rounds.table(goals).toString();
	}

	/**
	 * Do what is done once, before the first round.
	 * @param contestants the contestants
	 * @param site where to measure
	 * @throws Exception if something went wrong
	 */
	void prepare(List<Contestant> contestants, Site site) throws Exception {
	}

	/**
	 * Measure one contestant once.
	 * @param contestant the contestant
	 * @param site where to measure
	 * @return readings by title of their column; the first one, of which more is better,
	 * is what contestants are compared by
	 * @throws Exception if something went wrong
	 */
	abstract Map<String, Double> measure(Contestant contestant, Site site) throws Exception;

}
