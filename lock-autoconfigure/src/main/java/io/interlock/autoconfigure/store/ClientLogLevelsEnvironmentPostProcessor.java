package io.interlock.autoconfigure.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Default levels for loggers of a client library that repeat in an outage what Interlock
 * says once. Any level of the application for the same logger, or for a package of the
 * library around it, wins.
 *
 * @since 0.1.0
 */
public abstract class ClientLogLevelsEnvironmentPostProcessor implements EnvironmentPostProcessor {

	private static final String PREFIX = "logging.level.";

	private final String library;

	private final Map<String, String> levels;

	/**
	 * Create the levels of one library.
	 * @param library the package of the library
	 * @param levels levels by the names of loggers, which begin with the package
	 */
	protected ClientLogLevelsEnvironmentPostProcessor(String library, Map<String, String> levels) {
		this.library = library;
		this.levels = levels;
	}

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		Map<String, Object> properties = new HashMap<>();
		// Default properties of the application come behind this source later.
		this.levels.forEach((logger, level) -> {
			if (around(logger).stream().noneMatch((name) -> environment.containsProperty(PREFIX + name))) {
				properties.put(PREFIX + logger, level);
			}
		});
		environment.getPropertySources()
			.addLast(new MapPropertySource("interlockLogLevels[%s]".formatted(this.library), properties));
	}

	/** Return the logger, and the packages around it that are of the library. */
	private List<String> around(String logger) {
		return IntStream.rangeClosed(this.library.length(), logger.length())
			.filter((end) -> end == logger.length() || logger.charAt(end) == '.')
			.mapToObj((end) -> logger.substring(0, end))
			.toList();
	}

}
