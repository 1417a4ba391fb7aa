package io.interlock.redis;

import io.interlock.testing.process.SharedCounter;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;

/**
 * A counter below a key.
 */
final class RedisCounter implements SharedCounter {

	private static final String KEY = "counter";

	private final ValueOperations<String, String> values;

	RedisCounter(RedisConnectionFactory connections) {
		this.values = new StringRedisTemplate(connections).opsForValue();
	}

	@Override
	public int read() {
		return Integer.parseInt(this.values.get(KEY));
	}

	@Override
	public void write(int value) {
		this.values.set(KEY, Integer.toString(value));
	}

}
