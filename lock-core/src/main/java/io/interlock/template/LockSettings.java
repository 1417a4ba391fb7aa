package io.interlock.template;

import java.time.Duration;
import java.util.Map;

import io.interlock.LockRequest;

import org.springframework.util.Assert;

/**
 * How long {@link LockTemplate} waits.
 *
 * @param defaultWaitTime time to wait for a lock if the request has none; a try does not
 * wait then
 * @param waitTimes time to wait by lock name; overrides the request
 * @param tryTimeout bound of one attempt without waiting for others
 * @param releaseTimeout how long a release waits for the answer of the servers; zero
 * sends the release and does not wait
 * @param maxKeys how many locks may be asked for at once
 * @param leakDetection whether the place where a handle is acquired is noted, which walks
 * the stack
 * @param blockingOnEventLoop what a thread that must not block does when it would have to
 * wait for other holders
 * @param firstTryTimeout bound of the attempts of {@code tryTimeout} that begin before a
 * store has answered, counted from the first one; less than that bound is that bound
 * @since 0.1.0
 */
public record LockSettings(Duration defaultWaitTime, Map<String, Duration> waitTimes, Duration tryTimeout,
		Duration releaseTimeout, int maxKeys, boolean leakDetection, OnEventLoop blockingOnEventLoop,
		Duration firstTryTimeout) {

	public LockSettings {
		Assert.isTrue(!defaultWaitTime.isNegative(),
				() -> "'defaultWaitTime' must not be negative: " + defaultWaitTime);
		waitTimes = Map.copyOf(waitTimes);
		waitTimes.forEach((name, waitTime) -> Assert.isTrue(!waitTime.isNegative(),
				() -> "Wait time of lock '%s' must not be negative: %s".formatted(name, waitTime)));
		Assert.isTrue(!tryTimeout.isNegative() && !tryTimeout.isZero(),
				() -> "'tryTimeout' must be positive: " + tryTimeout);
		Assert.isTrue(!releaseTimeout.isNegative(), () -> "'releaseTimeout' must not be negative: " + releaseTimeout);
		Assert.isTrue(maxKeys > 0, () -> "'maxKeys' must be positive: " + maxKeys);
		Assert.isTrue(!firstTryTimeout.isNegative(),
				() -> "'firstTryTimeout' must not be negative: " + firstTryTimeout);
	}

	/** Create settings whose first attempts have no more time than others. */
	public LockSettings(Duration defaultWaitTime, Map<String, Duration> waitTimes, Duration tryTimeout,
			Duration releaseTimeout, int maxKeys, boolean leakDetection, OnEventLoop blockingOnEventLoop) {
		this(defaultWaitTime, waitTimes, tryTimeout, releaseTimeout, maxKeys, leakDetection, blockingOnEventLoop,
				Duration.ZERO);
	}

	/** Create settings that allow 64 locks at once and note no places. */
	public LockSettings(Duration defaultWaitTime, Map<String, Duration> waitTimes, Duration tryTimeout,
			Duration releaseTimeout) {
		this(defaultWaitTime, waitTimes, tryTimeout, releaseTimeout, 64, false, OnEventLoop.FAIL);
	}

	/** Create settings of releases that do not wait. */
	public LockSettings(Duration defaultWaitTime, Map<String, Duration> waitTimes, Duration tryTimeout) {
		this(defaultWaitTime, waitTimes, tryTimeout, Duration.ZERO);
	}

	/**
	 * {@return the settings of an application that configures nothing: 10 seconds, no
	 * overrides, one second, releases that do not wait, 64 locks at once, and no places}
	 */
	public static LockSettings defaults() {
		return new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1));
	}

	Duration waitTime(LockRequest request, Duration otherwise) {
		Duration override = this.waitTimes.get(request.id().name());
		if (override != null) {
			return override;
		}
		Duration waitTime = request.waitTime();
		return (waitTime != null) ? waitTime : otherwise;
	}

	/** What a thread that must not block does when it would have to wait for a lock. */
	public enum OnEventLoop {

		/** Fail at once. */
		FAIL,

		/** Wait, and log a warning once for each name of a lock. */
		WARN

	}

}
