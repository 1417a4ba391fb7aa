package io.interlock.benchmark.contestant;

import java.util.HashMap;
import java.util.Map;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * A Spring Boot application with annotated methods and metrics, and without what the
 * contestants on other stores bring to the class path.
 *
 * @since 0.1.0
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = { DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class })
public class AnnotatedApplication {

	@Bean
	AnnotatedMethods annotatedMethods() {
		return new AnnotatedMethods();
	}

	@Bean
	SimpleMeterRegistry meterRegistry() {
		return new SimpleMeterRegistry();
	}

	/**
	 * Start it with a client of its own.
	 * @param connectString where the client connects
	 * @param properties further properties
	 * @return the context, running and connected
	 */
	static ConfigurableApplicationContext connect(String connectString, Map<String, Object> properties) {
		Map<String, Object> all = new HashMap<>(properties);
		all.put("interlock.provider", "zookeeper");
		all.put("interlock.zookeeper.connect-string", connectString);
		all.put("interlock.zookeeper.ensemble-tracker", "false");
		all.put("interlock.startup-timeout", "20s");
		return start(all);
	}

	/**
	 * Start it.
	 * @param properties its properties
	 * @param sources further configuration classes
	 * @return the context, running
	 */
	public static ConfigurableApplicationContext start(Map<String, Object> properties, Class<?>... sources) {
		return new SpringApplicationBuilder(AnnotatedApplication.class).sources(sources)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.registerShutdownHook(false)
			.properties(properties)
			.run();
	}

}
