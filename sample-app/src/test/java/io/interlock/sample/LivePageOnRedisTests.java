package io.interlock.sample;

import java.util.List;

import io.interlock.testsupport.redis.RedisServer;

/**
 * Tests for the live page with locks in Redis.
 */
class LivePageOnRedisTests extends LivePageContract {

	private RedisServer redis;

	@Override
	List<String> store() {
		this.redis = RedisServer.start();
		return List.of("--interlock.provider=redis", "--spring.data.redis.port=" + this.redis.port());
	}

	@Override
	void close() {
		super.close();
		if (this.redis != null) {
			this.redis.close();
		}
	}

}
