package io.interlock.redis.autoconfigure;

import java.util.function.Consumer;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Makes providers that connect like a {@link RedisConnectionFactory} bean. */
class RedisNamedProvider implements NamedProvider<RedisLockProperties> {

	@Override
	public Provider store() {
		return Provider.REDIS;
	}

	@Override
	public Class<RedisLockProperties> properties() {
		return RedisLockProperties.class;
	}

	@Override
	public LockProvider create(RedisLockProperties properties, @Nullable String bean, ApplicationContext context,
			Consumer<AutoCloseable> owned) {
		if (bean == null || !context.containsBean(bean)) {
			throw new InvalidConfigurationPropertyValueException("interlock.redis.bean", bean,
					"It must be the name of a RedisConnectionFactory bean.");
		}
		LockRedisConnections connections = new LockRedisConnections(context.getBean(bean, RedisConnectionFactory.class),
				properties.dedicatedConnection(), properties.lease().dividedBy(3));
		owned.accept(connections);
		return new RedisLockAutoConfiguration().redisLockProvider(connections, properties,
				context.getBean(InterlockProperties.class), context.getEnvironment());
	}

}
