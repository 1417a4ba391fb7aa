package io.interlock.template;

import java.time.Duration;
import java.util.Map;

import io.interlock.LockRequest;

import org.springframework.util.Assert;

/**
 * How long {@link LockTemplate} waits.
 *
 * @param defaultWaitTime time to wait for a lock if the request has none, in which case a
 * try does not wait
 * @param waitTimes time to wait by lock name; overrides the request
 * @param tryTimeout time limit for an attempt that does not wait for others
 * @param releaseTimeout time to wait for the servers to confirm a release; zero sends it
 * without waiting
 * @param maxKeys maximum number of locks that can be requested at once
 * @param leakDetection whether to record where a handle is acquired, which walks the
 * stack
 * @param blockingOnEventLoop what a thread that must not block does when it would have to
 * wait for other holders
 * @param firstTryTimeout time limit that replaces {@code tryTimeout} until a store has
 * answered, counted from the first attempt; ignored if it is shorter
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

	/** Create settings without more time for the first attempts. */
	public LockSettings(Duration defaultWaitTime, Map<String, Duration> waitTimes, Duration tryTimeout,
			Duration releaseTimeout, int maxKeys, boolean leakDetection, OnEventLoop blockingOnEventLoop) {
		this(defaultWaitTime, waitTimes, tryTimeout, releaseTimeout, maxKeys, leakDetection, blockingOnEventLoop,
				Duration.ZERO);
	}

	/** Create settings that allow 64 locks at once and record no places. */
	public LockSettings(Duration defaultWaitTime, Map<String, Duration> waitTimes, Duration tryTimeout,
			Duration releaseTimeout) {
		this(defaultWaitTime, waitTimes, tryTimeout, releaseTimeout, 64, false, OnEventLoop.FAIL);
	}

	/** Create settings with releases that do not wait. */
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

		/** Wait, and log one warning for each lock name. */
		WARN

	}

}
