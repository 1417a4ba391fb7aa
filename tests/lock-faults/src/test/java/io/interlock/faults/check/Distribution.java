package io.interlock.faults.check;

import java.util.Arrays;

/**
 * Quantiles of a sample.
 */
public final class Distribution {

	private final double[] sorted;

	/**
	 * Create a distribution.
	 * @param values the sample
	 */
	public Distribution(double[] values) {
		this.sorted = values.clone();
		Arrays.sort(this.sorted);
	}

	/**
	 * Return how large the sample is.
	 * @return its size
	 */
	public int size() {
		return this.sorted.length;
	}

	/**
	 * Return a quantile.
	 * @param quantile between 0 and 1
	 * @return the smallest value that is not exceeded by that share of the sample; 0 for
	 * an empty sample
	 */
	public double quantile(double quantile) {
		if (this.sorted.length == 0) {
			return 0;
		}
		int index = (int) Math.ceil(quantile * this.sorted.length) - 1;
		return this.sorted[Math.max(0, index)];
	}

	/**
	 * Return how much of the sample exceeds a limit.
	 * @param limit the limit
	 * @return the number of values
	 */
	public long above(double limit) {
		return Arrays.stream(this.sorted).filter((value) -> value > limit).count();
	}

	@Override
	public String toString() {
		return "p50 %.1f, p99 %.1f, p99.9 %.1f, max %.1f (n=%d)".formatted(quantile(0.5), quantile(0.99),
				quantile(0.999), quantile(1), size());
	}

}
