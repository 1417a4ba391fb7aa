package io.interlock.benchmark.load;

import java.time.Duration;

/**
 * How long something is measured.
 *
 * @param warmUp how long it runs before
 * @param measured how long it is measured
 * @since 0.1.0
 */
public record Pace(Duration warmUp, Duration measured) {

	/**
	 * Take a fourth of the time to warm up.
	 * @param seconds the whole time
	 * @return the pace
	 */
	public static Pace of(double seconds) {
		Duration whole = Duration.ofMillis((long) (seconds * 1000));
		Duration warmUp = whole.dividedBy(4);
		return new Pace(warmUp, whole.minus(warmUp));
	}

}
