package io.interlock.benchmark.scenario;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.interlock.benchmark.contestant.Contestant;

/**
 * What contestants did in all rounds, and the table of it. The first reading of each is
 * what they are compared by. Not safe for use by many threads.
 */
final class Rounds {

	/** Suffix of the columns in which less is better. */
	private static final String TIME = ", ms";

	private final Map<Contestant, List<Map<String, Double>>> readings = new EnumMap<>(Contestant.class);

	void add(Contestant contestant, Map<String, Double> readings) {
		this.readings.computeIfAbsent(contestant, (added) -> new ArrayList<>()).add(readings);
	}

	/**
	 * Return a table for each reading, in which contestants are compared by it.
	 */
	String tables(Map<Contestant, Double> goals) {
		return columns().stream()
			.map((column) -> only(column).table(goals).toString())
			.collect(Collectors.joining("\n"));
	}

	private Rounds only(String column) {
		Rounds only = new Rounds();
		this.readings.forEach((contestant, rounds) -> rounds
			.forEach((readings) -> only.add(contestant, Map.of(column, readings.getOrDefault(column, Double.NaN)))));
		return only;
	}

	Table table(Map<Contestant, Double> goals) {
		Set<String> columns = columns();
		String main = columns.iterator().next();
		List<String> titles = new ArrayList<>(List.of("", main, "lowest to highest", "Interlock is", "goal"));
		columns.stream().skip(1).forEach(titles::add);
		Table table = new Table(titles);
		this.readings.forEach((contestant, rounds) -> {
			double ratio = ratio(contestant, main);
			Double goal = goals.get(contestant);
			List<String> row = new ArrayList<>();
			row.add(contestant.title());
			row.add(Table.number(median(contestant, main)));
			row.add(figures(contestant, main).range());
			row.add((contestant != contestant.reference()) ? Table.number(ratio) + " x" : "");
			row.add((goal != null) ? Table.goal(Table.number(goal) + " x", ratio >= goal) : "");
			columns.stream().skip(1).forEach((column) -> row.add(Table.number(value(contestant, column))));
			table.add(row);
		});
		return table;
	}

	private Set<String> columns() {
		return this.readings.values().iterator().next().get(0).keySet();
	}

	private double ratio(Contestant contestant, String column) {
		double ratio = median(contestant.reference(), column) / median(contestant, column);
		return column.endsWith(TIME) ? 1 / ratio : ratio;
	}

	private double value(Contestant contestant, String column) {
		Figures figures = figures(contestant, column);
		return column.startsWith("longest") ? figures.highest() : figures.median();
	}

	private double median(Contestant contestant, String column) {
		return figures(contestant, column).median();
	}

	private Figures figures(Contestant contestant, String column) {
		return new Figures(this.readings.getOrDefault(contestant, List.of(Map.of()))
			.stream()
			.mapToDouble((reading) -> reading.getOrDefault(column, Double.NaN))
			.toArray());
	}

}
