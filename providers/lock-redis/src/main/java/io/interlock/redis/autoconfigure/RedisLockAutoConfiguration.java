package io.interlock.redis.autoconfigure;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.redis.RedisLeaseStore;
import io.interlock.redis.RedisLeaseStoreSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for locks in Redis.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class, before = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnStore("redis")
@ConditionalOnMissingBean(LockProvider.class)
@EnableConfigurationProperties({ InterlockProperties.class, RedisLockProperties.class })
public final class RedisLockAutoConfiguration {

	private static final Log logger = LogFactory.getLog(RedisLockAutoConfiguration.class);

	@Bean
	LockRedisConnections interlockLockRedisConnections(ObjectProvider<RedisConnectionFactory> connections,
			RedisLockProperties properties) {
		RedisConnectionFactory application = connections.getIfAvailable();
		if (application == null) {
			throw new InvalidConfigurationPropertyValueException("interlock.provider", "redis",
					"There is no RedisConnectionFactory. Configure spring.data.redis, or define such a bean.");
		}
		return new LockRedisConnections(application, properties.dedicatedConnection(), properties.lease().dividedBy(3));
	}

	@Bean
	LeaseLockProvider interlockRedisLockProvider(LockRedisConnections connections, RedisLockProperties properties,
			InterlockProperties common, Environment environment) {
		return provider(connections, properties, common, environment);
	}

	static LeaseLockProvider provider(LockRedisConnections connections, RedisLockProperties properties,
			InterlockProperties common, Environment environment) {
		if (properties.waitReplicas() > 0 && !connections.areOfLettuce()) {
			throw new InvalidConfigurationPropertyValueException("interlock.redis.wait-replicas",
					properties.waitReplicas(),
					"It needs a RedisConnectionFactory of Lettuce, the default client of Spring Boot. Remove the other one, or the property.");
		}
		logger.info("Locks in Redis: a fail-over to a replica can grant a lock twice. "
				+ "Pass the fencing token to the resource that the lock protects, so that it refuses older ones");
		String prefix = properties.keyPrefix() + (common.namespace().isEmpty() ? "" : common.namespace() + ":");
		return new LeaseLockProvider(
				new RedisLeaseStore(connections.factory(),
						new RedisLeaseStoreSettings(prefix, properties.keepUnused(), properties.waitReplicas(),
								properties.waitReplicasTimeout())),
				common.leaseSettings(properties.lease(), properties.pollInterval(), properties.threads(), environment));
	}

}
