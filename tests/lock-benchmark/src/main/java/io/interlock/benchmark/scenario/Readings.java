package io.interlock.benchmark.scenario;

import java.util.LinkedHashMap;
import java.util.Map;

import io.interlock.benchmark.load.Tally;

/**
 * What is read from a tally.
 */
final class Readings {

	private static final double NANOS_PER_MILLI = 1_000_000.0;

	private static final double NANOS_PER_SECOND = 1_000_000_000.0;

	private Readings() {
	}

	static Map<String, Double> of(Tally tally, boolean body) {
		Map<String, Double> readings = new LinkedHashMap<>();
		readings.put("locks/s", tally.orFail().rate());
		if (body) {
			readings.put("mean body, ms", millis(tally.body() / (double) tally.operations()));
			readings.put("of the ideal", tally.rate() / tally.ideal());
		}
		readings.put("longest wait, ms", millis(tally.longestWait()));
		return readings;
	}

	static double seconds(double nanos) {
		return nanos / NANOS_PER_SECOND;
	}

	static double millis(double nanos) {
		return nanos / NANOS_PER_MILLI;
	}

}
