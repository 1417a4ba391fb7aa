package io.interlock.benchmark.scenario;

import java.util.Arrays;

/**
 * How evenly something is shared.
 */
final class Fairness {

	private Fairness() {
	}

	/**
	 * Compute Jain's index.
	 * @param shares the share of each
	 * @return 1 if all have the same, 1 / n if one of n has everything
	 */
	static double ofJain(long[] shares) {
		double sum = Arrays.stream(shares).asDoubleStream().sum();
		double squares = Arrays.stream(shares).asDoubleStream().map((share) -> share * share).sum();
		return sum * sum / (shares.length * squares);
	}

}
