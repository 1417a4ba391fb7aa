package io.interlock.benchmark.contestant;

import java.util.Map;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * A Spring Boot application with annotated methods and metrics.
 *
 * @since 0.1.0
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
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
