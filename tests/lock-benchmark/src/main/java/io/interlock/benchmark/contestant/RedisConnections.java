package io.interlock.benchmark.contestant;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections to Redis, on the defaults of Spring Data.
 */
final class RedisConnections {

	private RedisConnections() {
	}

	static LettuceConnectionFactory connect(String address) {
		String[] parts = address.split(":");
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(parts[0], Integer.parseInt(parts[1])));
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

}
