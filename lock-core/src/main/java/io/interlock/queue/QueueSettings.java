package io.interlock.queue;

import java.time.Duration;
import java.util.Map;

import org.springframework.util.Assert;

/**
 * How {@link QueueingLockProvider} behaves.
 *
 * @param enabled whether threads of this JVM queue for a lock among themselves; otherwise
 * each of them contends for itself, in strict order of arrival at the lock service
 * @param enabledByName exceptions from that, by name of the lock
 * @param maxTenure age from which a grant is not handed over any more; zero never hands
 * over
 * @param maxHandoffs how often a grant is handed over at the most
 * @param maxWaiting how many threads may wait for one lock; more are refused at once
 * @param linger how long a grant stays with this JVM after its last use, unless another
 * contender comes; zero for not at all
 * @param lingerByName exceptions from that, by name of the lock
 * @since 0.1.0
 */
public record QueueSettings(boolean enabled, Map<String, Boolean> enabledByName, Duration maxTenure, int maxHandoffs,
		int maxWaiting, Duration linger, Map<String, Duration> lingerByName) {

	public QueueSettings {
		Assert.isTrue(!maxTenure.isNegative(), () -> "'maxTenure' must not be negative: " + maxTenure);
		Assert.isTrue(maxHandoffs >= 0, () -> "'maxHandoffs' must not be negative: " + maxHandoffs);
		Assert.isTrue(maxWaiting > 0, () -> "'maxWaiting' must be positive: " + maxWaiting);
		Assert.isTrue(!linger.isNegative(), () -> "'linger' must not be negative: " + linger);
		enabledByName = Map.copyOf(enabledByName);
		lingerByName = Map.copyOf(lingerByName);
		lingerByName.forEach((name, byName) -> Assert.isTrue(!byName.isNegative(),
				() -> "Linger time of lock '%s' must not be negative: %s".formatted(name, byName)));
	}

	/** Create settings of grants that do not linger. */
	public QueueSettings(boolean enabled, Map<String, Boolean> enabledByName, Duration maxTenure, int maxHandoffs,
			int maxWaiting) {
		this(enabled, enabledByName, maxTenure, maxHandoffs, maxWaiting, Duration.ZERO, Map.of());
	}

	/** Return the settings by default: queueing, tenures of 50 ms, no other limits. */
	public static QueueSettings defaults() {
		return new QueueSettings(true, Map.of(), Duration.ofMillis(50), Integer.MAX_VALUE, Integer.MAX_VALUE);
	}

	Duration linger(String name) {
		return this.lingerByName.getOrDefault(name, this.linger);
	}

	boolean isEnabled(String name) {
		return this.enabledByName.getOrDefault(name, this.enabled);
	}

}
