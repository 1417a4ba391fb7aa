package io.interlock.autoconfigure.zookeeper;

import java.util.HashMap;
import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

class ClientLogLevelsEnvironmentPostProcessor implements EnvironmentPostProcessor {

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		Map<String, Object> levels = new HashMap<>(
				Map.of("logging.level.org.apache.zookeeper", "error", "logging.level.org.apache.curator", "error"));
		// Default properties of the application come behind this source later.
		levels.keySet().removeIf(environment::containsProperty);
		environment.getPropertySources().addLast(new MapPropertySource("interlockClientLogLevels", levels));
	}

}
