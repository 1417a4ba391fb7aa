package io.interlock.benchmark.scenario;

import java.util.Arrays;

/**
 * What was measured of one thing in all rounds.
 */
final class Figures {

	private final double[] sorted;

	Figures(double... values) {
		this.sorted = values.clone();
		Arrays.sort(this.sorted);
	}

	double median() {
		int middle = this.sorted.length / 2;
		return (this.sorted.length % 2 == 1) ? this.sorted[middle]
				: (this.sorted[middle - 1] + this.sorted[middle]) / 2;
	}

	double highest() {
		return this.sorted[this.sorted.length - 1];
	}

	String range() {
		return Table.number(this.sorted[0]) + " to " + Table.number(highest());
	}

}
