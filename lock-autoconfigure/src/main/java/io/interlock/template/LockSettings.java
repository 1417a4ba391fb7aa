package io.interlock.template;

import java.time.Duration;
import java.util.Map;

import org.springframework.util.Assert;

/**
 * How long {@link LockTemplate} waits.
 *
 * @param defaultWaitTime time to wait for a lock when the request says nothing
 * @param waitTimes time to wait by lock name; overrides the request
 * @param tryTimeout bound of one attempt without waiting for others
 * @since 0.1.0
 */
public record LockSettings(Duration defaultWaitTime, Map<String, Duration> waitTimes, Duration tryTimeout) {

	public LockSettings {
		Assert.isTrue(!defaultWaitTime.isNegative(),
				() -> "'defaultWaitTime' must not be negative: " + defaultWaitTime);
		waitTimes = Map.copyOf(waitTimes);
		waitTimes.forEach((name, waitTime) -> Assert.isTrue(!waitTime.isNegative(),
				() -> "Wait time of lock '%s' must not be negative: %s".formatted(name, waitTime)));
		Assert.isTrue(!tryTimeout.isNegative() && !tryTimeout.isZero(),
				() -> "'tryTimeout' must be positive: " + tryTimeout);
	}

	/**
	 * Return the settings of an application that configures nothing.
	 * @return 10 seconds, no overrides, one second
	 */
	public static LockSettings defaults() {
		return new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1));
	}

}
