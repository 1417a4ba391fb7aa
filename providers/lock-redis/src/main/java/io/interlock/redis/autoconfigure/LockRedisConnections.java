package io.interlock.redis.autoconfigure;

import java.time.Duration;

import io.interlock.redis.LettuceConnections;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The connections that locks use. Not a {@link RedisConnectionFactory} itself, so that
 * the application has one bean of that type as before.
 */
final class LockRedisConnections implements AutoCloseable {

	private static final boolean LETTUCE = ClassUtils.isPresent("io.lettuce.core.RedisClient",
			LockRedisConnections.class.getClassLoader());

	private final RedisConnectionFactory factory;

	private final @Nullable LettuceConnections dedicated;

	LockRedisConnections(RedisConnectionFactory application, boolean dedicated, Duration timeout) {
		if (dedicated && LETTUCE && application instanceof LettuceConnectionFactory lettuce) {
			LettuceConnections connections = new LettuceConnections(lettuce, timeout);
			this.factory = connections.factory();
			this.dedicated = connections;
		}
		else {
			this.factory = application;
			this.dedicated = null;
		}
	}

	RedisConnectionFactory factory() {
		return this.factory;
	}

	boolean areOfLettuce() {
		return LETTUCE && this.factory instanceof LettuceConnectionFactory;
	}

	@Override
	public void close() {
		if (this.dedicated != null) {
			this.dedicated.close();
		}
	}

}
