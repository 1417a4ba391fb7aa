package io.interlock.redis.autoconfigure;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.lease.LeaseLockProvider;

import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Makes providers that connect like a {@link RedisConnectionFactory} bean. */
class RedisLockStoreFactory implements LockStoreFactory<RedisLockProperties> {

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public Class<RedisLockProperties> properties() {
		return RedisLockProperties.class;
	}

	@Override
	public boolean isAutoConfigured() {
		return true;
	}

	@Override
	public LeaseLockProvider create(RedisLockProperties properties, Definition definition) {
		ApplicationContext context = definition.context();
		LockRedisConnections connections = new LockRedisConnections(definition.bean(RedisConnectionFactory.class),
				properties.dedicatedConnection(), properties.lease().dividedBy(3));
		definition.owned().accept(connections);
		return RedisLockAutoConfiguration.provider(connections, properties, context.getBean(InterlockProperties.class),
				context.getEnvironment());
	}

}
