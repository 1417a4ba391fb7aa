package io.interlock.benchmark.scenario;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * A table in Markdown. Not safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Table {

	private final List<String> lines = new ArrayList<>();

	private final int columns;

	/**
	 * Begin a table.
	 * @param titles titles of its columns; all but the first are numbers
	 */
	public Table(List<String> titles) {
		this.columns = titles.size();
		add(titles);
		List<String> rule = new ArrayList<>(Collections.nCopies(this.columns, "---:"));
		rule.set(0, "---");
		this.lines.add("|" + String.join("|", rule) + "|");
	}

	/**
	 * Add a row.
	 * @param cells its cells; missing ones at its end are empty
	 */
	public void add(List<String> cells) {
		List<String> row = new ArrayList<>(cells);
		while (row.size() < this.columns) {
			row.add("");
		}
		this.lines.add("| " + String.join(" | ", row) + " |");
	}

	/**
	 * Write a number with as many digits as are worth reading.
	 * @param value the number
	 * @return its text
	 */
	public static String number(double value) {
		if (Double.isNaN(value)) {
			return "";
		}
		double size = Math.abs(value);
		int digits = (size >= 100 || size == 0) ? 0 : (size >= 10) ? 1 : 2;
		return String.format(Locale.ROOT, "%,." + digits + "f", value);
	}

	static String goal(String goal, boolean met) {
		return goal + (met ? ": met" : ": missed");
	}

	@Override
	public String toString() {
		return String.join("\n", this.lines) + "\n";
	}

}
