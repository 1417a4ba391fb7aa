package io.interlock.redis.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Configuration properties for locks in Redis.
 *
 * @param lease Length of a lease, renewed every twelfth of it. If an instance crashes,
 * its locks become free when their leases end.
 * @param pollInterval Time between two polls of an instance that waits for a lock, in
 * case the message that wakes it is lost. Grows to up to a second if the holder keeps the
 * lock.
 * @param threads Number of threads that request locks from Redis if they cannot share a
 * connection of Lettuce.
 * @param keyPrefix Prefix of the keys of locks.
 * @param keepUnused Time after which the key of an unused lock expires. Setting the clock
 * of the server back by less does not affect fencing tokens.
 * @param dedicatedConnection Whether locks use their own connection, whose commands end
 * within a third of the lease. Otherwise, and without Lettuce, they use the connections
 * and the timeout of the application.
 * @param waitReplicas Number of replicas that must confirm an acquisition before the lock
 * is granted. With zero, a fail-over may forget the lock. Requires Lettuce.
 * @param waitReplicasTimeout Time to wait for replicas to confirm an acquisition, less
 * than a sixth of the lease. Without them, the lock is unavailable.
 * @since 0.1.0
 */
@ConfigurationProperties(prefix = "interlock.redis", ignoreUnknownFields = false)
public record RedisLockProperties(@DefaultValue("15s") Duration lease, @DefaultValue("50ms") Duration pollInterval,
		@DefaultValue("8") int threads, @DefaultValue("interlock:") String keyPrefix,
		@DefaultValue("10m") Duration keepUnused, @DefaultValue("true") boolean dedicatedConnection,
		@DefaultValue("0") int waitReplicas, @DefaultValue("500ms") Duration waitReplicasTimeout) {

	private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

	public RedisLockProperties {
		check(lease.compareTo(SHORTEST_LEASE) >= 0, "lease", lease, "It must be at least one second.");
		check(pollInterval.toMillis() > 0, "poll-interval", pollInterval, "It must be at least one millisecond.");
		check(threads > 0, "threads", threads, "It must be more than zero.");
		check(!keyPrefix.isBlank() && keyPrefix.indexOf('{') < 0 && keyPrefix.indexOf('}') < 0, "key-prefix", keyPrefix,
				"It must not be empty and must not contain braces, which mark the part of a key that determines its "
						+ "slot.");
		check(!keepUnused.isNegative(), "keep-unused", keepUnused, "It must not be negative.");
		check(waitReplicas >= 0, "wait-replicas", waitReplicas, "It must be at least one, or zero to wait for none.");
		check(waitReplicasTimeout.toMillis() > 0, "wait-replicas-timeout", waitReplicasTimeout,
				"It must be at least one millisecond.");
		check(waitReplicas == 0 || waitReplicasTimeout.multipliedBy(6).compareTo(lease) < 0, "wait-replicas-timeout",
				waitReplicasTimeout,
				"It must be less than a sixth of interlock.redis.lease, which is %s. Set a shorter one, or a longer lease."
					.formatted(lease));
	}

	private static void check(boolean valid, String name, Object value, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException("interlock.redis." + name, value, reason);
		}
	}

}
