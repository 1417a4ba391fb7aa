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
 * @since 0.1.0
 */
public record RedisLeaseStoreSettings(String keyPrefix, Duration keepUnused) {

	public RedisLeaseStoreSettings {
		Assert.hasText(keyPrefix, "'keyPrefix' must not be empty");
		Assert.isTrue(keyPrefix.indexOf('{') < 0 && keyPrefix.indexOf('}') < 0,
				() -> "'keyPrefix' must not contain braces: " + keyPrefix);
		Assert.isTrue(!keepUnused.isNegative(), () -> "'keepUnused' must not be negative: " + keepUnused);
	}

}
