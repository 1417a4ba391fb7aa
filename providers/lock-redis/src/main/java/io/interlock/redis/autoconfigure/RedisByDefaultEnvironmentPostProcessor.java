package io.interlock.redis.autoconfigure;

import java.util.Map;
import java.util.stream.Stream;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Makes Redis the default where locks are possible neither in ZooKeeper nor in a
 * database.
 */
final class RedisByDefaultEnvironmentPostProcessor implements EnvironmentPostProcessor {

	private static final String PROPERTY = "interlock.provider";

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		ClassLoader classLoader = application.getClassLoader();
		if (Stream.of("org.apache.curator.framework.CuratorFramework", "io.interlock.jdbc.JdbcLeaseStore")
			.noneMatch((other) -> ClassUtils.isPresent(other, classLoader))) {
			environment.getPropertySources()
				.addLast(new MapPropertySource("interlockRedisByDefault", Map.of(PROPERTY, "redis")));
		}
	}

}
