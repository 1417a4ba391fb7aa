package io.interlock.template;

import java.time.Duration;
import java.util.Map;

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
		waitTimes = Map.copyOf(waitTimes);
	}

	/**
	 * Return the settings of an application that configures nothing.
	 * @return 10 seconds, no overrides, one second
	 */
	public static LockSettings defaults() {
		return new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1));
	}

}
