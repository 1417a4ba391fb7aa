package io.interlock.jdbc.autoconfigure;

import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Makes the database the default where locks in ZooKeeper are not possible.
 */
final class JdbcByDefaultEnvironmentPostProcessor implements EnvironmentPostProcessor {

	private static final String PROPERTY = "interlock.provider";

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		if (!ClassUtils.isPresent("org.apache.curator.framework.CuratorFramework", application.getClassLoader())) {
			environment.getPropertySources()
				.addLast(new MapPropertySource("interlockJdbcByDefault", Map.of(PROPERTY, "jdbc")));
		}
	}

}
