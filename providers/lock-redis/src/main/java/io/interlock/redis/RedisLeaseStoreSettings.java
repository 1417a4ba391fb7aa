package io.interlock.redis;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * How {@link RedisLeaseStore} behaves.
 *
 * @param keyPrefix how the keys of locks begin; without braces, which mark what the slot
 * of a key is computed from in a cluster
 * @param keepUnused how long the key of a lock that is not used is kept. A clock of the
 * server that is put back by less does not make a token smaller than an earlier one
 * @param waitReplicas how many replicas must confirm an acquisition before the lock is
 * granted, which needs connections of Lettuce; zero for none
 * @param waitReplicasTimeout how long they may take; less than a sixth of the lease,
 * because a grant that is older than a third of it is not handed out
 * @since 0.1.0
 */
public record RedisLeaseStoreSettings(String keyPrefix, Duration keepUnused, int waitReplicas,
		Duration waitReplicasTimeout) {

	public RedisLeaseStoreSettings {
		Assert.hasText(keyPrefix, "'keyPrefix' must not be empty");
		Assert.isTrue(keyPrefix.indexOf('{') < 0 && keyPrefix.indexOf('}') < 0,
				() -> "'keyPrefix' must not contain braces: " + keyPrefix);
		Assert.isTrue(!keepUnused.isNegative(), () -> "'keepUnused' must not be negative: " + keepUnused);
		Assert.isTrue(waitReplicas >= 0, () -> "'waitReplicas' must not be negative: " + waitReplicas);
		Assert.isTrue(waitReplicasTimeout.toMillis() > 0,
				() -> "'waitReplicasTimeout' must be positive: " + waitReplicasTimeout);
	}

	/** Create settings that wait for no replica. */
	public RedisLeaseStoreSettings(String keyPrefix, Duration keepUnused) {
		this(keyPrefix, keepUnused, 0, Duration.ofSeconds(1));
	}

}
