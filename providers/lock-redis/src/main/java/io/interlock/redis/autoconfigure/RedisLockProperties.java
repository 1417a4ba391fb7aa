package io.interlock.redis.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Configuration properties for locks in Redis.
 *
 * @param lease Length of a lease. The locks of an instance that crashes are free when it
 * is over; it is renewed each twelfth of it.
 * @param pollInterval Time between two questions of an instance that waits for a lock, in
 * case the message that wakes it is lost. It grows up to a second behind a holder that
 * stays.
 * @param threads Number of threads that ask Redis for locks where the connection of
 * Lettuce cannot be shared without them.
 * @param keyPrefix How the keys of locks begin.
 * @param keepUnused Time after which the key of a lock that is not used vanishes. A clock
 * of the server that is put back by less harms no fencing token.
 * @param dedicatedConnection Whether locks have a connection of their own, whose commands
 * end within a third of the lease. Otherwise, and without Lettuce, they use the
 * connections and the timeout of the application.
 * @param waitReplicas Number of replicas that must confirm an acquisition before the lock
 * is granted. With zero, a fail-over may forget the lock. Needs Lettuce.
 * @param waitReplicasTimeout Time in which they must confirm it; less than a sixth of the
 * lease. Otherwise the lock is unavailable.
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
				"It must not be empty and must not contain braces, which mark what the slot of a key is computed from.");
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
