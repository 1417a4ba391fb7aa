package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's registry in Redis. Waiters are told of a release, which its
 * documentation prefers where there are no replicas; by default they ask every 100 ms.
 */
final class RedisRegistryLocks extends JavaLocks {

	private static final String KEY = "spring-integration";

	private final LettuceConnectionFactory connections;

	private final RedisLockRegistry registry;

	RedisRegistryLocks(String address, @Nullable Duration timeToLive) {
		this.connections = RedisConnections.connect(address);
		this.registry = (timeToLive != null) ? new RedisLockRegistry(this.connections, KEY, timeToLive)
				: new RedisLockRegistry(this.connections, KEY);
		this.registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
	}

	@Override
	Lock lock(String key) {
		return this.registry.obtain(key);
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.connections.destroy();
	}

}
