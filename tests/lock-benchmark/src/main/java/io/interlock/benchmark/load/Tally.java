package io.interlock.benchmark.load;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Counts and times of the measured time, except where a component says otherwise.
 *
 * @param before locks that were acquired and released before the measured time
 * @param operations locks that were had and given back
 * @param elapsed measured time, in nanoseconds
 * @param exclusiveHolders exclusive locks had before, in and after the measured time
 * @param longestWait longest time from asking for a lock to having it, in nanoseconds
 * @param body time that locks were held, in nanoseconds
 * @param longestBody longest time that one was held, in nanoseconds
 * @param longestAside longest time from the end of an exclusive holder to the begin of
 * the next one in this JVM, in nanoseconds
 * @since 0.1.0
 */
public record Tally(long before, long operations, long elapsed, long exclusiveHolders, long longestWait, long body,
		long longestBody, long longestAside) {

	/**
	 * Nothing.
	 */
	public static final Tally NOTHING = new Tally(0, 0, 0, 0, 0, 0, 0, 0);

	/**
	 * Add what others counted meanwhile.
	 * @param other what they counted
	 * @return both
	 */
	public Tally plus(Tally other) {
		return new Tally(this.before + other.before, this.operations + other.operations,
				Math.max(this.elapsed, other.elapsed), this.exclusiveHolders + other.exclusiveHolders,
				Math.max(this.longestWait, other.longestWait), this.body + other.body,
				Math.max(this.longestBody, other.longestBody), Math.max(this.longestAside, other.longestAside));
	}

	/**
	 * Return the throughput.
	 * @return operations per second
	 */
	public double rate() {
		return this.operations * (double) TimeUnit.SECONDS.toNanos(1) / this.elapsed;
	}

	/**
	 * Return what a lock without any cost would do.
	 * @return bodies of the measured length per second, one after the other
	 */
	public double ideal() {
		return this.operations * (double) TimeUnit.SECONDS.toNanos(1) / this.body;
	}

	/**
	 * Refuse a measurement in which nothing happened.
	 * @return this
	 */
	public Tally orFail() {
		if (this.operations == 0) {
			throw new IllegalStateException(
					"No lock was acquired in the measured time: measure for longer, with --seconds");
		}
		return this;
	}

	/**
	 * Write it down for another process.
	 * @return one line
	 */
	public String toLine() {
		return "%d %d %d %d %d %d %d %d".formatted(this.before, this.operations, this.elapsed, this.exclusiveHolders,
				this.longestWait, this.body, this.longestBody, this.longestAside);
	}

	/**
	 * Read what another process wrote down.
	 * @param line its line
	 * @return what it counted
	 */
	public static Tally ofLine(String line) {
		long[] values = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
		return new Tally(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]);
	}

}
