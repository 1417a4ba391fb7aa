package io.interlock.redis.autoconfigure;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.provider.LockProvider;

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
	public LockProvider create(RedisLockProperties properties, Definition definition) {
		ApplicationContext context = definition.context();
		LockRedisConnections connections = new LockRedisConnections(definition.bean(RedisConnectionFactory.class),
				properties.dedicatedConnection(), properties.lease().dividedBy(3));
		definition.owned().accept(connections);
		return new RedisLockAutoConfiguration().interlockRedisLockProvider(connections, properties,
				context.getBean(InterlockProperties.class), context.getEnvironment());
	}

}
