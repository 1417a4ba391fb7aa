package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A Spring Boot application that has locks in one of the stores, on the defaults of their
 * properties.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class StoreApplication {

	static ConfigurableApplicationContext onZooKeeper(String connectString, @Nullable Duration sessionTimeout) {
		return start(
				Map.of("interlock.provider", "zookeeper", "interlock.zookeeper.connect-string", connectString,
						"interlock.zookeeper.ensemble-tracker", "false", "interlock.startup-timeout", "20s"),
				"interlock.zookeeper.session-timeout", sessionTimeout, DataSourceAutoConfiguration.class,
				DataRedisAutoConfiguration.class);
	}

	static ConfigurableApplicationContext onPostgres(String url, @Nullable Duration lease) {
		return start(
				Map.of("interlock.provider", "jdbc", "spring.datasource.url", url, "spring.datasource.username",
						Pools.USER, "spring.datasource.hikari.connection-timeout", Pools.timeout(lease).toMillis()),
				"interlock.jdbc.lease", lease, DataRedisAutoConfiguration.class);
	}

	static ConfigurableApplicationContext onRedis(String address, @Nullable Duration lease) {
		return start(Map.of("interlock.provider", "redis", "spring.data.redis.url", "redis://" + address),
				"interlock.redis.lease", lease, DataSourceAutoConfiguration.class);
	}

	/**
	 * Start it.
	 * @param properties its properties, but for one
	 * @param leaseProperty the property for the lease
	 * @param lease the lease, or {@code null} for the default
	 * @param otherStores auto-configurations of what it does not connect to
	 */
	private static ConfigurableApplicationContext start(Map<String, Object> properties, String leaseProperty,
			@Nullable Duration lease, Class<?>... otherStores) {
		Map<String, Object> all = new HashMap<>(properties);
		if (lease != null) {
			all.put(leaseProperty, lease);
		}
		all.put("spring.autoconfigure.exclude", Arrays.stream(otherStores).map(Class::getName).toList());
		return new SpringApplicationBuilder(StoreApplication.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(all)
			.run();
	}

}
