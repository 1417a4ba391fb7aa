package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's {@code RLock}, on its defaults: a watchdog renews it.
 */
final class RedissonLocks extends JavaLocks {

	private final RedissonClient client;

	RedissonLocks(String address, @Nullable Duration watchdogTimeout) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + address);
		if (watchdogTimeout != null) {
			config.setLockWatchdogTimeout(watchdogTimeout.toMillis());
		}
		this.client = Redisson.create(config);
	}

	@Override
	Lock lock(String key) {
		return this.client.getLock("redisson:" + key);
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
