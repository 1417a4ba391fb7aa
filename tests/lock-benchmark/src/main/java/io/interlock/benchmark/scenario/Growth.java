package io.interlock.benchmark.scenario;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.interlock.benchmark.contestant.Contestant;

/**
 * What contestants did at several sizes, and the table of how the cost of one lock grows
 * with the size. The first reading of each is that cost. Not safe for use by many
 * threads.
 */
final class Growth {

	private static final String NOT_MEASURED = "-";

	private final String size;

	private final NavigableMap<Contestant, NavigableMap<Long, List<Map<String, Double>>>> readings = new TreeMap<>();

	/**
	 * Create a table without rows.
	 * @param size what there is more and more of
	 */
	Growth(String size) {
		this.size = size;
	}

	void add(Contestant contestant, long size, Map<String, Double> readings) {
		this.readings.computeIfAbsent(contestant, (added) -> new TreeMap<>())
			.computeIfAbsent(size, (added) -> new ArrayList<>())
			.add(readings);
	}

	@Override
	public String toString() {
		Set<String> columns = this.readings.firstEntry().getValue().firstEntry().getValue().get(0).keySet();
		String cost = columns.iterator().next();
		List<String> titles = new ArrayList<>(List.of("", this.size, cost, "of the smallest", "Interlock is"));
		columns.stream().skip(1).forEach(titles::add);
		Table table = new Table(titles);
		for (long size : sizes()) {
			this.readings.forEach((contestant, bySize) -> {
				double value = value(contestant, size, cost);
				List<String> row = new ArrayList<>(
						List.of(contestant.title(), String.format(Locale.ROOT, "%,d", size), text(value)));
				row.add(times(value / value(contestant, bySize.firstKey(), cost)));
				row.add((contestant != contestant.reference())
						? times(value / value(contestant.reference(), size, cost)) : "");
				columns.stream().skip(1).forEach((column) -> row.add(text(value(contestant, size, column))));
				table.add(row);
			});
		}
		return table.toString();
	}

	private Set<Long> sizes() {
		return this.readings.values()
			.stream()
			.map(NavigableMap::keySet)
			.flatMap(Collection::stream)
			.sorted()
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	private double value(Contestant contestant, long size, String column) {
		List<Map<String, Double>> rounds = this.readings.getOrDefault(contestant, new TreeMap<>())
			.getOrDefault(size, List.of(Map.of()));
		return new Figures(rounds.stream().mapToDouble((round) -> round.getOrDefault(column, Double.NaN)).toArray())
			.median();
	}

	private static String text(double value) {
		return Double.isNaN(value) ? NOT_MEASURED : Table.number(value);
	}

	private static String times(double ratio) {
		return Double.isNaN(ratio) ? NOT_MEASURED : Table.number(ratio) + " x";
	}

}
