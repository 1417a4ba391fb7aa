package io.interlock.benchmark.scenario;

import java.util.List;
import java.util.stream.Stream;

/**
 * The state of a worker's JVM when the worker is ready.
 */
enum Jvm {

	/** Has locked often enough to be compiled. */
	WARM(10_000),

	/** Has connected, and locked nothing. */
	COLD(0),

	/** Cold, and compiled by the first compiler only. */
	COLD_C1(0, "-XX:TieredStopAtLevel=1"),

	/** One of many on this machine, which has locked a little. */
	SMALL(500, "-Xmx64m", "-XX:+UseSerialGC");

	private final int warmUp;

	private final List<String> options;

	Jvm(int warmUp, String... options) {
		this.warmUp = warmUp;
		this.options = Stream.concat(Stream.of("-Xmx128m"), Stream.of(options)).toList();
	}

	/**
	 * Return how often the worker locks a key of its own before it is ready.
	 */
	int warmUp() {
		return this.warmUp;
	}

	/**
	 * Return the options of the JVM.
	 */
	List<String> options() {
		return this.options;
	}

}
